const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const quoted = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const domain = `(?:${dotAtom}|\\[[^\\[\\]\\\\\\s]*\\])`;
const address = `(?:${dotAtom}|${quoted})@${domain}`;
const phrase = `(?:(?:${atom}(?:[. ]${atom})*|${quoted})[ \\t]*)*`;
const whole = new RegExp(`^[ \\t]*(?:${address}|${phrase}<${address}>)[ \\t]*$`, "u");

/** What Go's mail.ParseAddress takes: `a@b`, or `A Name <a@b>`. */
export function isEmail(text: string): boolean {
  return whole.test(text);
}
