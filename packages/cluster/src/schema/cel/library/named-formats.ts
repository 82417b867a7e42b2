import {
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validateQualifiedName,
} from "../../../status/index.ts";
import { parseRequestUri, UrlError } from "../../formats/go-url.ts";
import { findStringFormat } from "../../formats/string-formats.ts";
import type { OverloadDefinition } from "../check/functions.ts";
import { OpaqueValue, Optional, PlainList, type Value } from "../values/value.ts";

type NamedFormatValidator = (text: string) => readonly string[];

export class NamedFormatValue extends OpaqueValue {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly validate: NamedFormatValidator;
  /** Length of the regular expression that cost estimation assumes for this format. */
  readonly patternSize: number;
  constructor(name: string, validate: NamedFormatValidator, patternSize: number) {
    super();
    this.name = name;
    this.validate = validate;
    this.patternSize = patternSize;
  }
  equals(other: NamedFormatValue): boolean {
    return this.name === other.name;
  }
}

/** Validates a name prefix, which may end with a dash. */
const createPrefixValidator =
  (validate: NamedFormatValidator): NamedFormatValidator =>
  (text) =>
    validate(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);
const createStringFormatValidator =
  (format: string, problem: string): NamedFormatValidator =>
  (text) =>
    findStringFormat(format)!(text) ? [] : [problem];

const namedFormatValues: Readonly<Record<string, NamedFormatValue>> = {
  dns1123Label: new NamedFormatValue("DNS1123Label", validateDnsLabel, 30),
  dns1123Subdomain: new NamedFormatValue("DNS1123Subdomain", validateDnsSubdomain, 60),
  dns1035Label: new NamedFormatValue("DNS1035Label", validateDns1035Label, 30),
  qualifiedName: new NamedFormatValue("QualifiedName", validateQualifiedName, 60),
  dns1123LabelPrefix: new NamedFormatValue("DNS1123LabelPrefix", createPrefixValidator(validateDnsLabel), 30),
  dns1123SubdomainPrefix: new NamedFormatValue("DNS1123SubdomainPrefix", createPrefixValidator(validateDnsSubdomain), 60),
  dns1035LabelPrefix: new NamedFormatValue("DNS1035LabelPrefix", createPrefixValidator(validateDns1035Label), 30),
  labelValue: new NamedFormatValue("LabelValue", validateLabelValue, 40),
  uri: new NamedFormatValue("URI", validateUri, 1000),
  uuid: new NamedFormatValue("uuid", createStringFormatValidator("uuid", "does not match the UUID format"), 81),
  byte: new NamedFormatValue("byte", createStringFormatValidator("byte", "invalid base64"), 84),
  date: new NamedFormatValue("date", createStringFormatValidator("date", "invalid date"), 80),
  datetime: new NamedFormatValue("datetime", createStringFormatValidator("datetime", "invalid datetime"), 80),
};

function validateUri(text: string): string[] {
  try {
    parseRequestUri(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

function validateNamedFormat(format: NamedFormatValue, text: string): Value {
  const problems = format.validate(text);
  return problems.length === 0 ? Optional.none : new Optional(new PlainList(problems));
}

function findNamedFormat(name: string): Value {
  return Object.hasOwn(namedFormatValues, name) ? new Optional(namedFormatValues[name]) : Optional.none;
}

export const namedFormatFunctions: readonly OverloadDefinition[] = [
  ["format-validate", "kubernetes.NamedFormat.validate(string): optional_type(list(string))", validateNamedFormat],
  ["format-named", "format.named(string): optional_type(kubernetes.NamedFormat)", findNamedFormat],
  ...Object.entries(namedFormatValues).map(
    ([name, format]): OverloadDefinition => [`format.${name}`, `format.${name}(): kubernetes.NamedFormat`, () => format],
  ),
];
