/** Whether the name of a field, parameter, header or variable says that its value is secret or personal. */

/** @typedef {'secret' | 'doubtful' | 'personal' | null} NameKind `doubtful`: secret only if the value looks random, because `code=404` and `state=CA` are not */

// All expressions are matched with a name in lower case whose words are joined and surrounded by `_`.

/** Each name of a secret has one of these, in either case: text without them need not be searched. */
export const HINTS =
  'a(?:ssertion|uth)|bearer|c(?:hiave|lave|le|od|ontrase|ook|redential|srf|v[cv])|geheim|j(?:eton|wt)|ke(?:y|nnw)|m(?:dp|ot)|nonce|otp|p(?:arola|ass|in|sw|uk|w)|s(?:aml|chl|e(?:cr|cur|gr|nha|ss)|id|ig|tate)|t(?:an|icket|oken)|wacht|xsrf|zugang';

/** After these words, a segment of a path is a token: `/reset/x7Kq9mPa`. */
export const TOKEN_WORDS =
  '(?:(?:reset[-_]?|set[-_]?|change[-_]?|forgot[-_]?)?passwords?|(?:password[-_]?)?reset|(?:verify|confirm|activate)(?:[-_]?(?:account|email))?|verification|confirmation|activation|invites?|invitations?|unsubscribe|unlock|recover|recovery|magic|magic[-_]?link|tokens?)';

/** Secret anywhere in a name: English, German, French, Spanish, Italian, Portuguese and Dutch. */
const PASSWORD =
  /pass_?w(?:or)?d(?!less)|pass_?phrase|pass_?wort|pswd|kennwort|geheimzahl|contrasen?[iy]?a|mot_?de_?passe?|parola_?(?:d_?ordine|di_?accesso)|senha_|wachtwoord|_(?:pw|psw|mdp)_/;
const KEY =
  '(?:api|access|account|admin|app|application|auth|client|consumer|crypto|deploy|encryption|functions|host|hmac|licen[cs]e|master|private|root|rsa|sas|secret|service|session|shared|signing|ssh|storage|subscription|webhook)_?keys?';
const CODE =
  '(?:access|activation|auth|authori[sz]ation|backup|confirmation|fa|login|mfa|otp|recovery|security|sms|tfa|verification|zugangs)_?codes?|(?:code|oauth)_?verifier|code_?pin|security_?answer|(?:api|geheim|sicherheits)_?schlue?ssel';
/** The last one in a name decides; then follows the rest of the name. */
const SECRET = new RegExp(
  String.raw`^.*(?:${KEY}|(?:token|secret|jwt|pwd|passcode|credential|zugangsdaten)s?(?:value|hint|string|text|hash)?|_(?:client_)?assertion|_(?:${CODE})|_(?:cle|clave|chiave)_(?:api|priv\w+|secr\w+|segr\w+)|_(?:bearer|cv[cv]|geheim(?:nis)?|jeton|m_?tan|pin_?code|pin|puk|secreto|segreto|sms_?tan|t?otp)|requirepass|masterauth|_(?:(?:proxy|x)_)*authorization|_(?:session|auth)_cookies?|^_(?:set_)?cookies?|_(?:db|my|pg|smtp|ssh|user)?pass(?=_$))_(.*)$`,
);
/** A value or a copy of it: `tokenValue`, `secret_confirmation`. Single letters are versions. */
const SAME =
  /^(?:(?:[a-z]|again|b|base|check|confirm(?:ation|ed)?|current|data|encrypted|hash|hint|new|old|plain|raw|repeat(?:ed)?|str|string|text|value|verify)_)*$/;
/** About a secret, not the secret: `token_count`, `password_reset_url`, `TokenError`, `secrets.py`. */
const ABOUT =
  /_(?:age|alg|algorithm|at|attempts|budget|bucket|bytes|changed|class|com|count|created|date|dir|disabled|enabled|endpoint|errors?|exception|exp|expired?|expires|expiration|expiry|field|file|form|format|forgot|go|header|expires_in|index|invalid|issued|issuer|js|kind|label|len|length|limit|link|local|manager|max|message|method|min|mode|ms|net|org|page|param|path|per|placeholder|policy|provider|py|rate|required|reset|retries|rotation|scheme|schema|scopes?|sec|seconds?|server|service|size|status|strength|svc|title|total|tries|ts|ttl|types?|updated|ur[il]s?|usage|used|valid|validity|version)_$|^_(?:max|min|n|num|total|used|next_page|page|continuation)_/;
const DOUBTFUL =
  /(?:_(?:auth(?:entication)?|chiave|clave|code|csrf|key|nonce|session|sid|sig|signature|state|ticket|xsrf)|sess(?:ion)?_?id|saml_?(?:request|response)|_(?:next_page|page|continuation)_token)_$/;
const PERSON =
  '(?:account_?holder|billing|card_?holder|client|contact|customer|display|employee|family|first|full|given|guest|last|maiden|middle|nick|owner|patient|person|recipient|shipping|sur|user)';
/** What else has a name. */
const THING =
  '(?:app|branch|brand|bucket|category|channel|city|class|cluster|column|country|domain|event|field|file|group|host|image|index|item|job|key|label|model|module|node|operation|path|plan|pod|product|project|queue|region|repo|resource|role|server|service|sort|state|table|tag|task|topic|type)';
const PERSONAL = new RegExp(
  `(?:_(?:adresse?|anschrift|bic|birth|card|cc|cognome|dob|fax|fiscal_?code|handy|iban|ip|ip_?address|kontonummer|la[st]tname|lat|latitude|ln?g|login|lon|longitude|mobil|mobile|msisdn|nachname|nom|nombre|pan|passport|phone|plz|postcode|prenom|rut|ssn|strasse|street|surname|tel|telefono?|telephone|user|vorname|zip)|apellidos?|birth_?(?:day|date)|date_?of_?birth|geburts(?:tag|datum)|e?mail|_address(?:_?line)?|(?:account|card|cc|credit_?card|mobile|passport|phone|tax|national_?id)_?(?:number|no|nr|num|id)|credit_?card|phone|(?:postal|zip|sort)_?code|(?:^|_)${PERSON}_?name|(?<!_${THING})_name|telefonnummer|steuernummer)s?_$`,
);
const LONGEST = 200;
const MOST_KNOWN = 5000;
/** The same names occur in every response. @type {Map<string, NameKind>} */
const known = new Map();

/** @param {string} name as written: `user[password]`, `X-Api-Key`, `newPassword1`, `Contraseña` @returns {NameKind} */
export function nameKind(name) {
  let kind = known.get(name);
  if (kind !== undefined) return kind;
  kind = findKind(joinWords(name.slice(-LONGEST)));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, kind);
  return kind;
}

/** `newPassword1` → `_new_password_`. Digits separate words. @param {string} name */
function joinWords(name) {
  // The rest of a name is enough without its other letters: `contrase%C3%B1a`, `contrase\u00f1a`.
  const decoded = name.replace(/%[57][bd]/gi, '_').replace(/%[\da-f]{2}|\\+u[\da-f]{4}/gi, '');
  const plain = decoded.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
  const words = plain.replace(/[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g, '$&_').toLowerCase();
  return `_${words}_`.replace(/[^a-z]+/g, '_');
}

/** @param {string} words @returns {NameKind} */
function findKind(words) {
  const isPassword = PASSWORD.test(words);
  const rest = SECRET.exec(words)?.[1];
  if (isPassword || rest !== undefined) {
    if (!ABOUT.test(words)) return isPassword || SAME.test(rest ?? '') ? 'secret' : 'doubtful';
    return DOUBTFUL.test(words) ? 'doubtful' : null;
  }
  if (DOUBTFUL.test(words)) return 'doubtful';
  return PERSONAL.test(words) ? 'personal' : null;
}
