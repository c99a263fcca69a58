import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Secret } from '../../../config/secret.js';
import { type Given, type ReadContext, refuse, type SettingType } from '../../../config/setting.js';

const PEM = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** An RSA key as PEM, or the path of its file. In the text, `\n` may stand for a line break, as in `.env` files. */
export const privateKey: SettingType<Secret> = {
  format: 'path or PEM',
  read(given, context) {
    const pem = PEM.test(given.text) ? given.text.replaceAll('\\n', '\n') : readPem(given, context);
    if (!isRsaKey(pem)) refuse(given, 'must be the private key that GitHub generated for the App (RSA, PEM)');
    return new Secret(pem);
  },
};

function readPem(given: Given, { cwd }: ReadContext): string {
  try {
    return readFileSync(resolve(cwd, given.text), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return refuse(given, `must be a PEM text or the path of a readable file (${code})`);
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
