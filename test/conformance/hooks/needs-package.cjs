/** A processor whose package nobody installed. */
// @ts-expect-error it is not there
require('not-installed-anywhere');

exports.mark = () => {};
