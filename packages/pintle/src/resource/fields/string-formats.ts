import { isIPv4, isIPv6 } from "node:net";
import * as z from "zod";

const HEX = "[0-9a-fA-F]";
const LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

const matchPattern = (pattern: RegExp) => (value: string) => pattern.test(value);
const UUID_START = `${HEX}{8}-${HEX}{4}`;
const UUID_END = `${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}`;

/**
 * The string formats of the API server, each with a check that accepts only values the API server accepts. A check is stricter than the
 * API server's where that one is irregular.
 */
export const STRING_FORMATS = {
  bsonobjectid: matchPattern(/^[0-9a-f]{24}$/),
  byte: (value) => value !== "" && z.core.regexes.base64.test(value),
  cidr: (value) => /^[^/]+\/\d{1,3}$/.test(value) && isCidr(value),
  creditcard: (value) =>
    /^4[0-9]{15}$/.test(value) && weightedSum(value, (digit, i) => luhnDigit(digit, (value.length - i) % 2 === 0)) % 10 === 0,
  date: matchPattern(z.core.regexes.date),
  "date-time": matchPattern(z.core.regexes.datetime({ offset: true })),
  duration: matchPattern(/^(0|[-+]?([0-9]{1,6}(\.[0-9]{1,9})?(ns|us|µs|ms|s|m|h))+)$/),
  email: matchPattern(z.core.regexes.email),
  hexcolor: matchPattern(new RegExp(`^#?(${HEX}{3}|${HEX}{6})$`)),
  hostname: matchPattern(new RegExp(`^([a-z0-9]{1,63}|(${LABEL}\\.)+[a-z]{2,63})$`)),
  ipv4: isIPv4,
  ipv6: (value) => isIPv6(value) && !value.includes("%"),
  isbn: (value) => isbn10(value) || isbn13(value),
  isbn10: (value) => isbn10(value),
  isbn13: (value) => isbn13(value),
  "k8s-long-name": (value) => value.length <= 253 && new RegExp(`^${LABEL}(\\.${LABEL})*$`).test(value),
  "k8s-short-name": matchPattern(new RegExp(`^${LABEL}$`)),
  mac: matchPattern(new RegExp(`^(${HEX}{2}:){5}${HEX}{2}$`)),
  password: () => true,
  rgbcolor: matchPattern(new RegExp(`^rgb\\(${BYTE}(,${BYTE}){2}\\)$`)),
  ssn: matchPattern(/^[0-9]{3}-[0-9]{2}-[0-9]{4}$/),
  uri: (value) => /^[a-z][a-z0-9+.-]*:(%[0-9a-fA-F]{2}|[!#$&-;=?-Z_a-z~])+$/.test(value) && URL.canParse(value),
  uuid: matchPattern(new RegExp(`^${UUID_START}-[1-8]${UUID_END}$`)),
  uuid3: matchPattern(new RegExp(`^${UUID_START}-3${UUID_END}$`)),
  uuid4: matchPattern(new RegExp(`^${UUID_START}-4${UUID_END}$`)),
  uuid5: matchPattern(new RegExp(`^${UUID_START}-5${UUID_END}$`)),
} satisfies Record<string, (value: string) => boolean>;

/** The name of a string format that the API server validates. */
export type StringFormat = keyof typeof STRING_FORMATS;

/** Whether the API server accepts this text for this format. Unknown formats accept every text. */
export function acceptsFormat(format: string, text: string): boolean {
  return !(format in STRING_FORMATS) || STRING_FORMATS[format as StringFormat](text);
}

function isCidr(value: string): boolean {
  const [address, length] = value.split("/") as [string, string];
  return isIPv4(address) ? Number(length) <= 32 : isIPv6(address) && !address.includes("%") && Number(length) <= 128;
}

const isbn10 = (value: string) => /^[0-9]{9}[0-9X]$/.test(value) && weightedSum(value, (digit, i) => digit * (10 - i)) % 11 === 0;
const isbn13 = (value: string) =>
  /^97[89][0-9]{10}$/.test(value) && weightedSum(value, (digit, i) => digit * (i % 2 === 0 ? 1 : 3)) % 10 === 0;
const weightedSum = (digits: string, weigh: (digit: number, i: number) => number) =>
  [...digits].reduce((total, digit, i) => total + weigh(digit === "X" ? 10 : Number(digit), i), 0);
const luhnDigit = (digit: number, twice: boolean) => (twice ? digit * 2 - (digit > 4 ? 9 : 0) : digit);
