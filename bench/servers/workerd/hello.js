// SPDX-License-Identifier: BSD-2-Clause
import { handlers } from './handlers.mjs';

export default { fetch: handlers.hello };
