// SPDX-License-Identifier: BSD-2-Clause
export default () => 'Hello from the sea\n';
