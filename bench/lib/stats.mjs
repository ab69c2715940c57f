// SPDX-License-Identifier: BSD-2-Clause
// Medians and spreads over the rounds of a bench.

/** @param {number[]} values */
export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * How far the rounds lie apart: (max - min) / median.
 * @param {number[]} values
 */
export function spread(values) {
	const middle = median(values);
	return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}

/**
 * The median of the ratios of the same round. Rounds run in turn, so a slow minute of the
 * machine slows both sides of a pair and cancels out.
 * @param {number[]} ours
 * @param {number[]} theirs
 */
export function pairedRatio(ours, theirs) {
	return median(ours.map((value, round) => value / theirs[round]));
}

/**
 * One row of a bench's JSON file.
 * @param {string} name
 * @param {string} unit
 * @param {number[]} ours one value a round
 * @param {string} [against]
 * @param {number[]} [theirs]
 */
export function row(name, unit, ours, against, theirs) {
	return {
		name,
		unit,
		ours: rounded(median(ours)),
		against: against ?? null,
		theirs: theirs ? rounded(median(theirs)) : null,
		ratio: theirs ? rounded(pairedRatio(ours, theirs)) : null,
		spread: rounded(spread(ours)),
	};
}

/** @param {number} value four significant digits */
export function rounded(value) {
	return Number(value.toPrecision(4));
}
