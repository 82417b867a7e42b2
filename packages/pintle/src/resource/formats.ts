import type { Format } from "./scalar-fields.ts";

const LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const HEX = "[0-9a-fA-F]";
const uuid = (version: string) => new RegExp(`^${HEX}{8}-${HEX}{4}-${version}${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}$`);

/**
 * Values that the server is sure to take for a format; never wider than the server, and narrower where its own check
 * is odd. Only defaults are held against it: a definition with a default that its format refuses is refused as a whole.
 */
const SURE: Record<Format | "duration" | "int32" | "int64" | "float" | "double", RegExp> = {
  bsonobjectid: /^[0-9a-f]{24}$/,
  byte: /^([0-9a-zA-Z+/]{4})*([0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=|[0-9a-zA-Z+/]{4})$/,
  cidr: /^[0-9a-fA-F:.]+\/\d{1,3}$/,
  creditcard: /^$./,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  duration: /./,
  email: /^[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/,
  hexcolor: /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/,
  hostname: new RegExp(`^([a-z0-9]{1,63}|(${LABEL}\\.)+[a-z]{2,63})$`),
  ipv4: /^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$/,
  ipv6: /:/,
  isbn: /^$./,
  isbn10: /^$./,
  isbn13: /^$./,
  "k8s-long-name": new RegExp(`^${LABEL}(\\.${LABEL})*$`),
  "k8s-short-name": new RegExp(`^${LABEL}$`),
  mac: /^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/,
  password: /^/,
  rgbcolor: /^rgb\((25[0-5]|2[0-4]\d|1?\d?\d)(,(25[0-5]|2[0-4]\d|1?\d?\d)){2}\)$/,
  ssn: /^\d{3}-\d{2}-\d{4}$/,
  uri: /^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.-]+(:\d+)?(\/[A-Za-z0-9._~/-]*)?$/,
  uuid: uuid("[1-8]"),
  uuid3: uuid("3"),
  uuid4: uuid("4"),
  uuid5: uuid("5"),
  int32: /^/,
  int64: /^/,
  float: /^/,
  double: /^/,
};
