/** Text in XML: written and read as text, never as markup. */

const NAMED = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);
/** Control characters, lone surrogates and the two last code points have no place in XML 1.0. */
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** For an element or an attribute; a character that XML cannot hold becomes U+FFFD. @param {string} text */
export function escapeXml(text) {
  return text
    .replace(NOT_XML, '\ufffd')
    .replace(/[<>&"'\t\n\r]/g, character => `&#${character.charCodeAt(0)};`);
}

/** @param {string} text as XML has it */
export function unescapeXml(text) {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,6}));/g,
    (whole, decimal, hex, name) => {
      if (name) return NAMED.get(name) ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
