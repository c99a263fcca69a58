import { isMasked } from './cuts.js';
import { type KeyKind, kindOfKey } from './key-kinds.js';

const IDENTIFIERS = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+$/;
/** Words in the place of a value that are not values. */
export const NO_VALUE =
  /^(?:true|false|null|nil|none|undefined|string|str|text|bytes|number|int|any|object|unknown|required|optional|missing|invalid|incorrect|wrong|expired|empty|blank|denied|failed|error|mismatch|revoked|rejected|unset|not|no|yes|is|was|must|cannot|should|has|the|a|an|this|for|new|await|async|function|self|lambda|falsch|ungültig|fehlt|leer|erforderlich|incorrecte?|invalide|requis|manquant|obligatoire|vide|incorrecta|inválida|requerida|obligatoria|errata|non|incorreta|obrigatória|onjuist|ongeldig|verplicht|неверный|неверен)$/i;

/** Whether an unquoted word is a secret rather than prose, code or a type. */
export function isBareSecret(value: string, kind: KeyKind, separator: string, spaced: boolean): boolean {
  if (isMasked(value) || NO_VALUE.test(value) || !/[A-Za-z0-9]/.test(value)) return false;
  if (/^\d+$/.test(value)) return digitsAreSecret(value, kind, separator !== ':' || spaced);
  if (kind === 'code' || kind === 'ssn' || kind === 'card')
    return /^[\d-]+$/.test(value) && /\d{2}/.test(value);
  if (kind === 'password' && isPath(value)) return false;
  if (IDENTIFIERS.test(value) && !(/\d/.test(value) && value.length >= 20)) return false;
  const mixed = /\d/.test(value) || /[^\w.:-]/.test(value);
  const plain = /^[A-Za-z_$]+$/.test(value);
  if (separator === '=' && !spaced) return !plain || kindOfKey(value) !== kind;
  if (separator === ':' && !spaced) return mixed && value.length >= 8 && /[A-Za-z]/.test(value);
  return (
    mixed || (kind === 'password' && separator === ':' && /^[a-z]+$/.test(value) && kindOfKey(value) !== kind)
  );
}

/** Words of prose that follow an option: `the --password option is missing`. */
const ABOUT_OPTIONS =
  /^(?:options?|flags?|arguments?|args?|parameters?|switch|values?|and|or|to|in|with|from|on|of|if|when|requires|needs|instead|set|given|can|may|will|does|as|by|at|but)$/i;

/** Whether the word after an option such as `--password` is a secret. */
export function isOptionSecret(value: string, kind: KeyKind): boolean {
  if (ABOUT_OPTIONS.test(value) || value.startsWith('-')) return false;
  const isWord = /^[A-Za-z_$]+$/.test(value);
  return (!isWord || kind === 'password' || kind === 'secret') && isBareSecret(value, kind, '=', false);
}

export function isPath(value: string): boolean {
  return /^(?:[/~]|[A-Za-z]:[\\/]|\.{1,2}\/)/.test(value);
}

function digitsAreSecret(digits: string, kind: KeyKind, clear: boolean): boolean {
  if (!clear) return false;
  if (kind === 'code') return digits.length >= 3 && digits.length <= 10;
  return digits.length >= (kind === 'password' ? 4 : 6);
}

/** Whether the text between quotes or tags is a secret rather than a template, a label or empty. */
export function isSecretText(value: string, kind: KeyKind, name: string): boolean {
  const template = /^(?:\$\{[^}]*\}|#\{[^}]*\}|\{\{?[^}]*\}?\}|%[sdr]|<[^>]*>|:\w+|\?)$/.test(value);
  const label = value.toLowerCase() === name.toLowerCase() || isLabel(value);
  if (template || label || isMasked(value) || NO_VALUE.test(value) || !/[A-Za-z0-9]/.test(value))
    return false;
  if (/^(?:bearer|basic) \[redacted:auth\]$/i.test(value)) return false;
  if (kind === 'code' && !/^\d{3,10}$/.test(value)) return false;
  return kind !== 'password' || !isPath(value);
}

/** `Enter your password`: a sentence about a credential. */
function isLabel(value: string): boolean {
  return /^[A-Za-z][A-Za-z'’ ]+[.:!?…]?$/.test(value) && value.includes(' ') && kindOfKey(value) !== null;
}
