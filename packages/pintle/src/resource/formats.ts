import { isIPv4, isIPv6 } from "node:net";
import * as z from "zod";

const HEX = "[0-9a-fA-F]";
const LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

const matches = (pattern: RegExp | string) => {
  const compiled = new RegExp(pattern);
  return (value: string) => compiled.test(value);
};
const uuid = (version: string) => matches(`^${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}$`);

/** The string formats an API server knows, by values it is sure to take: never wider, narrower where its own check is odd. */
export const FORMATS = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/),
  byte: (value) => value !== "" && z.core.regexes.base64.test(value),
  cidr: (value) => /^[^/]+\/\d{1,3}$/.test(value) && prefixed(value),
  creditcard: (value) => /^4[0-9]{15}$/.test(value) && sum(value, (digit, i) => doubled(digit, (value.length - i) % 2 === 0)) % 10 === 0,
  date: matches(z.core.regexes.date),
  "date-time": matches(z.core.regexes.datetime({ offset: true })),
  duration: matches(/^(0|[-+]?([0-9]{1,6}(\.[0-9]{1,9})?(ns|us|µs|ms|s|m|h))+)$/),
  email: matches(z.core.regexes.email),
  hexcolor: matches(`^#?(${HEX}{3}|${HEX}{6})$`),
  hostname: matches(`^([a-z0-9]{1,63}|(${LABEL}\\.)+[a-z]{2,63})$`),
  ipv4: isIPv4,
  ipv6: (value) => isIPv6(value) && !value.includes("%"),
  isbn: (value) => isbn10(value) || isbn13(value),
  isbn10: (value) => isbn10(value),
  isbn13: (value) => isbn13(value),
  "k8s-long-name": (value) => value.length <= 253 && matches(`^${LABEL}(\\.${LABEL})*$`)(value),
  "k8s-short-name": matches(`^${LABEL}$`),
  mac: matches(`^(${HEX}{2}:){5}${HEX}{2}$`),
  password: () => true,
  rgbcolor: matches(`^rgb\\(${BYTE}(,${BYTE}){2}\\)$`),
  ssn: matches(/^[0-9]{3}-[0-9]{2}-[0-9]{4}$/),
  uri: (value) => /^[a-z][a-z0-9+.-]*:(%[0-9a-fA-F]{2}|[!#$&-;=?-Z_a-z~])+$/.test(value) && URL.canParse(value),
  uuid: uuid("[1-8]"),
  uuid3: uuid("3"),
  uuid4: uuid("4"),
  uuid5: uuid("5"),
} satisfies Record<string, (value: string) => boolean>;

export type Format = keyof typeof FORMATS;

/** Whether the server is sure to take this text for this format; formats it does not know take everything. */
export function takes(format: string, text: string): boolean {
  return !(format in FORMATS) || FORMATS[format as Format](text);
}

function prefixed(value: string): boolean {
  const [address, length] = value.split("/") as [string, string];
  return isIPv4(address) ? Number(length) <= 32 : isIPv6(address) && !address.includes("%") && Number(length) <= 128;
}

const isbn10 = (value: string) => /^[0-9]{9}[0-9X]$/.test(value) && sum(value, (digit, i) => digit * (10 - i)) % 11 === 0;
const isbn13 = (value: string) => /^97[89][0-9]{10}$/.test(value) && sum(value, (digit, i) => digit * (i % 2 === 0 ? 1 : 3)) % 10 === 0;
const sum = (digits: string, weigh: (digit: number, i: number) => number) =>
  [...digits].reduce((total, digit, i) => total + weigh(digit === "X" ? 10 : Number(digit), i), 0);
const doubled = (digit: number, twice: boolean) => (twice ? digit * 2 - (digit > 4 ? 9 : 0) : digit);
