import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameKind } from '../../../lib/base/files/secret-names.js';

/** Names by their kind. @type {[kind: string, names: string][]} */
const TABLE = [
  [
    'secret',
    `user[password] user%5Bpassword%5D password_confirmation password1 new_password1 userPassword PGPASSWORD passwordHash
     pw pwd db_pass REDIS_PASS passwort Kennwort mot_de_passe motDePasse mdp contraseña contrasena clave_secreta senha
     token tokens token2 tokenValue tokenvalue a[b][token] access_token refresh-token csrfmiddlewaretoken X-Auth-Token
     id_token_hint token_v2 bearer jwt secrets clientSecret OIDC_CLIENT_SECRET AWS_SECRET_ACCESS_KEY credentials
     X-Api-Key APIKEY x-functions-key Ocp-Apim-Subscription-Key privateKey AccountKey code_verifier client_assertion
     otp totp pin pinCode puk cvv cvc2 passcode sms_code verification_code mfaCode 2fa_code authorization_code
     Proxy-Authorization cookie Set-Cookie session_cookie requirepass masterauth --password`,
  ],
  [
    'doubtful',
    `code key state csrf session sessionId session_id sid PHPSESSID connect.sid sig signature nonce ticket xsrf auth
     SAMLResponse status_code primary_key AWS_ACCESS_KEY_ID token_id secret_name next_page_token`,
  ],
  [
    'personal',
    `name user[name] customer.name author_name company_name firstName last_name phone phoneNumber tel mobile email e-mail address street
     shipping_address zip postcode birthday birthDate dob date_of_birth iban card card_number cc_number ssn lat lng ip
     login username Vorname nachname Straße geburtsdatum telefon`,
  ],
  [
    'null',
    `tokens_used token_count tokenCount max_tokens tokens_total tokens_per_second token_type token_url token_expires_in
     tokenizer tokenize AssertionError TokenError password_reset password_reset_url password_changed_at passwordless
     passenger compass bypass opinion pinned spinning secretary secrets.py author authority keyboard keys monkey
     hotkeys status page id title price host hostname filename product_name file_name quantity items cardinality tile`,
  ],
];

test('the words of a name say whether its value is secret or personal', () => {
  for (const [kind, names] of TABLE)
    for (const name of names.split(/\s+/)) assert.equal(`${nameKind(name)}`, kind, name);
});
