import assert from 'node:assert/strict';
import test from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';

/** What a stacked chart of a Python web API nearly always shows. */
const COMMON = [
  'auth',
  'business',
  'database',
  'serialization',
  'framework',
  'server',
  'http-client',
];

/**
 * What colours look like to people without one kind of cone: G. Machado, M. Oliveira, L. Fernandes, "A
 * physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15 (2009), severity 1.
 * @type {Record<string, number[][]>}
 */
const VISION = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** @param {string} hex @returns {number[]} linear RGB, 0…1 */
function toLinear(hex) {
  return [1, 3, 5].map(at => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

/** @param {number[][]} matrix @param {number[]} vector */
const multiply = (matrix, vector) =>
  matrix.map(row => row.reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0));

/** Oklab (B. Ottosson, 2020), in which distances are alike to the eye. @param {number[]} rgb linear */
function toOklab(rgb) {
  const cones = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map(value => Math.cbrt(Math.max(0, value)));
  return multiply(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

/** @param {{id: string, color: string}[]} all */
function checkColors(all) {
  for (const [vision, matrix] of Object.entries(VISION)) {
    const seen = all.map(({ color }) =>
      toOklab(multiply(matrix, toLinear(color)).map(part => Math.min(1, Math.max(0, part)))),
    );
    for (const [index, one] of seen.entries()) {
      for (const [before, other] of seen.slice(0, index).entries()) {
        const distance = Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)));
        // 0.02 is what an eye just sees side by side
        assert.ok(
          distance > 0.07,
          `${vision}: ${all[index]?.id} and ${all[before]?.id}: ${distance}`,
        );
      }
    }
  }
}

test('the colours of common categories differ for every kind of colour vision', async () => {
  const { categories } = await loadRules(null);
  checkColors(COMMON.map(id => ({ id, color: categories.get(id)?.color ?? '' })));
});

test('so can those of all kinds of wait, and each kind that a rule names has one', async () => {
  const { waits, waitKinds } = await loadRules(null);
  for (const { kind } of waits) assert.ok(waitKinds.has(kind), kind);
  checkColors([...waitKinds.values()]);
});
