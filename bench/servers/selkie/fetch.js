// SPDX-License-Identifier: BSD-2-Clause
import { upstream } from './upstream.js';

export default async () => (await fetch(`${upstream}/hello`)).text();
