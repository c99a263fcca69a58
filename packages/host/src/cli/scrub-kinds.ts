/** What a member with a sensitive name contains, by the id in `[redacted:id]`. */
export const KEY_KINDS_WHAT: Readonly<Record<string, string>> = {
  password: 'a password',
  secret: 'a secret',
  token: 'a token',
  api_key: 'an API key',
  auth: 'a credential',
  cookie: 'a cookie',
  session_id: 'a session id',
  code: 'a PIN or one-time code',
  ssn: 'a social security number',
  card: 'a payment card',
  iban: 'a bank account',
};
