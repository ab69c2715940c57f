// SPDX-License-Identifier: BSD-2-Clause
import { handlersFor } from './handlers.mjs';

export default { fetch: handlersFor(0).echo };
