/** Text in SVG: read and written as text, never as markup. */

const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
const ENTITIES = new Map([...NAMED].map(([name, char]) => [char, `&${name};`]));

/** @param {string} text */
export function decodeXml(text) {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,6}));/g,
    (whole, decimal, hex, name) => {
      if (name) return NAMED.get(name) ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** Characters that XML can't hold at all become U+FFFD. @param {string} text */
export function encodeXml(text) {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what XML forbids
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      .replace(/[<>&"']/g, char => ENTITIES.get(char) ?? char)
      .replace(/[\t\n\r]/g, char => `&#${char.charCodeAt(0)};`)
  );
}
