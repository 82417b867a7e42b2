import type { ValidationRule } from "./schema.ts";

/** Validation rules of strings that several fields share. */

const SUBDOMAIN = String.raw`"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"`;
const SUBDOMAIN_TEXT =
  "must be a valid DNS1123 subdomain. It must contain only lowercase alphanumeric characters, hyphens (-) or periods (.), start and end with an alphanumeric character, and be no longer than 253 characters";

/** A DNS subdomain. `subject` is the name of the field in messages. */
export const subdomainRule = (subject: string): ValidationRule => ({
  rule: `self.matches(${SUBDOMAIN})`,
  message: `${subject} ${SUBDOMAIN_TEXT}`,
});

/** Channels are subdomains with a shorter message. */
export const CHANNEL_RULE: ValidationRule = {
  rule: `self.matches(${SUBDOMAIN})`,
  message: "channels entries must be valid DNS1123 subdomains",
};

/** A DNS label in the words of ClusterObjectSet. */
export const LABEL_RULE: ValidationRule = {
  rule: "!format.dns1123Label().validate(self).hasValue()",
  message:
    "the value must consist of only lowercase alphanumeric characters and hyphens, and must start and end with an alphanumeric character.",
};

/** The path of a field, such as `status.phase`. */
export const FIELD_PATH_RULE: ValidationRule = {
  rule: String.raw`self.matches('^[a-zA-Z0-9]+(?:\\.[a-zA-Z0-9]+)*$')`,
  message:
    'must contain a valid field path. valid fields contain upper or lower-case alphanumeric characters separated by the "." character.',
};

/** A member of a union that is set for one value of the discriminator only. `space` is how the rule is spaced. */
export const unionRule = (member: string, discriminator: string, value: string, condition: string): ValidationRule => ({
  rule: `${condition}has(self.${member}) : !has(self.${member})`,
  message: `${member} is required when ${discriminator} is ${value}, and forbidden otherwise`,
});

const DOMAIN_RULE: ValidationRule = {
  rule: String.raw`self.matches('^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])((\\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))+)?(:[0-9]+)?\\b')`,
  message:
    'must start with a valid domain. valid domains must be alphanumeric characters (lowercase and uppercase) separated by the "." character.',
};
const NAME_RULE: ValidationRule = {
  rule: String.raw`self.find('(\\/[a-z0-9]+((([._]|__|[-]*)[a-z0-9]+)+)?((\\/[a-z0-9]+((([._]|__|[-]*)[a-z0-9]+)+)?)+)?)') != ""`,
  message:
    'a valid name is required. valid names must contain lowercase alphanumeric characters separated only by the ".", "_", "__", "-" characters.',
};
const DIGEST_RULES: readonly ValidationRule[] = [
  {
    rule: `self.find('(@.*:)') != "" ? self.find('(@.*:)').matches('(@[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*[:])') : true`,
    message:
      'digest algorithm is not valid. valid algorithms must start with an uppercase or lowercase alpha character followed by alphanumeric characters and may contain the "-", "_", "+", and "." characters.',
  },
  {
    rule: `self.find('(@.*:)') != "" ? self.find(':.*$').substring(1).size() >= 32 : true`,
    message: "digest is not valid. the encoded string must be at least 32 characters",
  },
  {
    rule: `self.find('(@.*:)') != "" ? self.find(':.*$').matches(':[0-9A-Fa-f]*$') : true`,
    message: "digest is not valid. the encoded string must only contain hex characters (A-F, a-f, 0-9)",
  },
];

/** The reference of an image, with a tag or a digest. */
export const IMAGE_RULES: readonly ValidationRule[] = [
  DOMAIN_RULE,
  NAME_RULE,
  { rule: `self.find('(@.*:)') != "" || self.find(':.*$') != ""`, message: "must end with a digest or a tag" },
  {
    rule: `self.find('(@.*:)') == "" ? (self.find(':.*$') != "" ? self.find(':.*$').substring(1).size() <= 127 : true) : true`,
    message: "tag is invalid. the tag must not be more than 127 characters",
  },
  {
    rule: String.raw`self.find('(@.*:)') == "" ? (self.find(':.*$') != "" ? self.find(':.*$').matches(':[\\w][\\w.-]*$') : true) : true`,
    message:
      'tag is invalid. valid tags must begin with a word character (alphanumeric + "_") followed by word characters or ".", and "-" characters',
  },
  ...DIGEST_RULES,
];

/** The reference of an image, with a digest. */
export const CANONICAL_IMAGE_RULES: readonly ValidationRule[] = [
  DOMAIN_RULE,
  NAME_RULE,
  { rule: `self.find('(@.*:)') != ""`, message: "must end with a digest" },
  ...DIGEST_RULES,
];
