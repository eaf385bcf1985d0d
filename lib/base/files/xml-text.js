/** Text in XML: written and read as text, never as markup. */

const NAMED = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }));
/** XML 1.0 has no control characters, lone surrogates or the last two code points. */
const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** For an element or an attribute; a character that XML cannot represent becomes U+FFFD. @param {string} text */
export function escapeXml(text) {
  return text
    .replace(NOT_XML, '\ufffd')
    .replace(/[<>&"'\t\n\r]/g, character => `&#${character.charCodeAt(0)};`);
}

const ENTITY = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,6}));/g;

/** @param {string} text with entities */
export function unescapeXml(text) {
  return text.replace(ENTITY, (whole, decimal, hex, name) => {
    if (name) return NAMED.get(name) ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
