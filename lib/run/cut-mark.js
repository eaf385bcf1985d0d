/** On its own line where the middle of a recorded text was left out. */
export const CUT_MARK = '… cut …';
