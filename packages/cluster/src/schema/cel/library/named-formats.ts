import {
  dns1035Problems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../../../status/index.ts";
import { stringFormat } from "../../text/formats.ts";
import { parseRequestUri, UrlError } from "../../text/go-url.ts";
import type { Declared } from "../check/functions.ts";
import { Opaque, Optional, PlainList, type Value } from "../values/value.ts";

type Validate = (text: string) => readonly string[];

export class FormatValue extends Opaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly validate: Validate;
  /** How long the pattern behind it is taken to be when its use is costed. */
  readonly patternSize: number;
  constructor(name: string, validate: Validate, patternSize: number) {
    super();
    this.name = name;
    this.validate = validate;
    this.patternSize = patternSize;
  }
  equals(other: FormatValue): boolean {
    return this.name === other.name;
  }
}

/** Something will be appended, so a dash at the end is fine. */
const asPrefix =
  (validate: Validate): Validate =>
  (text) =>
    validate(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
const matching =
  (format: string, problem: string): Validate =>
  (text) =>
    stringFormat(format)!(text) ? [] : [problem];

const formats: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue("DNS1123Label", dnsLabelProblems, 30),
  dns1123Subdomain: new FormatValue("DNS1123Subdomain", dnsSubdomainProblems, 60),
  dns1035Label: new FormatValue("DNS1035Label", dns1035Problems, 30),
  qualifiedName: new FormatValue("QualifiedName", qualifiedNameProblems, 60),
  dns1123LabelPrefix: new FormatValue("DNS1123LabelPrefix", asPrefix(dnsLabelProblems), 30),
  dns1123SubdomainPrefix: new FormatValue("DNS1123SubdomainPrefix", asPrefix(dnsSubdomainProblems), 60),
  dns1035LabelPrefix: new FormatValue("DNS1035LabelPrefix", asPrefix(dns1035Problems), 30),
  labelValue: new FormatValue("LabelValue", labelValueProblems, 40),
  uri: new FormatValue("URI", uriProblems, 1000),
  uuid: new FormatValue("uuid", matching("uuid", "does not match the UUID format"), 81),
  byte: new FormatValue("byte", matching("byte", "invalid base64"), 84),
  date: new FormatValue("date", matching("date", "invalid date"), 80),
  datetime: new FormatValue("datetime", matching("datetime", "invalid datetime"), 80),
};

function uriProblems(text: string): string[] {
  try {
    parseRequestUri(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

function validate(format: FormatValue, text: string): Value {
  const problems = format.validate(text);
  return problems.length === 0 ? Optional.none : new Optional(new PlainList(problems));
}

function named(name: string): Value {
  return Object.hasOwn(formats, name) ? new Optional(formats[name]) : Optional.none;
}

export const namedFormats: readonly Declared[] = [
  ["format-validate", "kubernetes.NamedFormat.validate(string): optional_type(list(string))", validate],
  ["format-named", "format.named(string): optional_type(kubernetes.NamedFormat)", named],
  ...Object.entries(formats).map(
    ([name, format]): Declared => [`format.${name}`, `format.${name}(): kubernetes.NamedFormat`, () => format],
  ),
];
