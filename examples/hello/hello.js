// SPDX-License-Identifier: BSD-2-Clause

export default (_request, context) => `Hello, ${context.params.name}!\n`;
