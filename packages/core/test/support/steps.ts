/**
 * What `act` reads, in characters: each regular expression from where it starts to where its match ends, or to the end of
 * the text. Counts what is read, so that it is the same on every machine.
 */
export function countSteps(act: () => unknown): number {
  const { exec } = RegExp.prototype;
  let steps = 0;
  RegExp.prototype.exec = function counted(this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    if (match !== null) steps += CALL + match.index + match[0].length - from;
    else if (this.sticky || this.source.startsWith('^')) steps += CALL;
    else steps += CALL + Math.max(0, String(text).length - from);
    return match;
  };
  try {
    act();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return steps;
}

/** What a call costs, in characters. */
const CALL = 8;
