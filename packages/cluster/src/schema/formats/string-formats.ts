import { parseGoDuration } from "pintle/internal/go-format";
import { isEmailAddress } from "./email-address.ts";
import { parseRequestUri, UrlError } from "./go-url.ts";
import { isMac, parseCidr, parseIp } from "./ip-address.ts";

export type StringFormatCheck = (text: string) => boolean;

/** Returns the check of a string format by name, ignoring dashes; undefined if the API server does not recognize the format. */
export function findStringFormat(name: string): StringFormatCheck | undefined {
  const plain = name.replaceAll("-", "");
  return Object.hasOwn(stringFormats, plain) ? stringFormats[plain] : undefined;
}

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/;
const letter = "a-zA-Z0-9\\p{S}\\p{L}";
const hostname = new RegExp(
  `^(?:[${letter}](?:-?[${letter}]{0,62})?|(?:[${letter}](?:[${letter}\\-]{0,61}[${letter}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  "u",
);
const space = "[\\t\\n\\f\\r ]*";
const channel = `${space}(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])${space}`;
const rgbColor = new RegExp(`^rgb\\(${channel},${channel},${channel}\\)$`);

const stringFormats: Readonly<Record<string, StringFormatCheck>> = {
  bsonobjectid: createPatternCheck(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmailAddress,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && parseIp(text, { sloppy: true }) !== undefined,
  ipv6: (text) => text.includes(":") && parseIp(text) !== undefined,
  cidr: (text) => parseCidr(text, { sloppy: true }) !== undefined,
  mac: isMac,
  uuid: createPatternCheck(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: createPatternCheck(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: createPatternCheck(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: createPatternCheck(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: createPatternCheck(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: createPatternCheck(rgbColor),
  byte: createPatternCheck(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

function createPatternCheck(regex: RegExp): StringFormatCheck {
  return (text) => regex.test(text);
}

function isRequestUri(text: string): boolean {
  try {
    parseRequestUri(text);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

function isHostname(text: string): boolean {
  if (text.length > 255 || !hostname.test(text) || Buffer.byteLength(text) > 255) return false;
  return text.split(".").every((label) => Buffer.byteLength(label) <= 63);
}

export function isDate(text: string): boolean {
  const match = date.exec(text);
  if (match === null) return false;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  const real = new Date(0);
  real.setUTCFullYear(year, month - 1, day);
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [day, clock] = text.toLowerCase().split("t") as [string, string?];
  const match = clock === undefined || !isDate(day) ? null : time.exec(clock);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = digits[9] === "X" ? 100 : 10 * Number(digits[9]);
  for (let i = 0; i < 9; i++) sum += (i + 1) * Number(digits[i]);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const creditCardPattern =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Applies the Luhn check to the digits of the text. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!creditCardPattern.test(digits)) return false;
  let sum = 0;
  for (const [i, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (i % 2 === 1 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const longUnits: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

/** Returns whether the text has the `duration` format, which also accepts "2 days" and "1 week". */
function isDuration(text: string): boolean {
  if (!("error" in parseGoDuration(text))) return true;
  for (const [, unit] of text.matchAll(/\d\s*([A-Za-zµ]+)/g)) {
    const name = unit!.toLowerCase();
    if (longUnits.some((names) => names.includes(name) || name.startsWith(names.at(-1)!))) return true;
  }
  return false;
}
