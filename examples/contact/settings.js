// SPDX-License-Identifier: BSD-2-Clause
// Your domain at Mailgun, its key, and who gets the mails.

export const messages = 'https://api.mailgun.net/v3/mail.example.com/messages';
export const key = 'put-your-key-here';
export const from = 'Website <website@mail.example.com>';
export const to = 'office@example.com';
