/** Counters of the companion's figures of pools: `loadflame.pools.<instance>.<pid>.<pool>.<sum>`. */
export const POOLS = 'loadflame.pools.';
