import { X509Certificate } from "node:crypto";
import { splitPemBlocks } from "pintle/internal/text";
import { type FieldError, fieldError, validateDns1035Label, validateDnsSubdomain } from "../../status/index.ts";
import { parseUrl, UrlError } from "../formats/go-url.ts";
import type { CrdConversion, CrdWebhookClientConfig } from "./crd.ts";

export interface ConversionValidationOptions {
  readonly requireKnownVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

const path = "spec.conversion";
const strategies = ["None", "Webhook"];

export function validateConversion(conversion: CrdConversion | undefined, options: ConversionValidationOptions): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(fieldError.required(`${path}.strategy`));
  else if (!strategies.includes(strategy)) errors.push(fieldError.notSupported(`${path}.strategy`, strategy, strategies));
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === "Webhook") {
    errors.push(...validateClientConfig(webhook?.clientConfig, options), ...validateReviewVersions(versions, options.requireKnownVersion));
    return errors;
  }
  const unset = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) errors.push(fieldError.forbidden(`${path}.webhookClientConfig`, unset));
  if (versions.length > 0) errors.push(fieldError.forbidden(`${path}.conversionReviewVersions`, unset));
  return errors;
}

function validateClientConfig(client: CrdWebhookClientConfig | undefined, options: ConversionValidationOptions): FieldError[] {
  const at = `${path}.webhookClientConfig`;
  if (client === undefined) return [fieldError.required(at, "required when strategy is set to Webhook")];
  const { url, service, caBundle = "" } = client;
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined)) errors.push(fieldError.required(at, "exactly one of url or service is required"));
  else if (url !== undefined) errors.push(...validateWebhookUrl(url, `${at}.url`));
  else errors.push(...validateServiceReference(service!, `${at}.service`));
  if (caBundle !== "" && !options.allowInvalidCaBundle && !isCaBundle(caBundle)) {
    errors.push(fieldError.invalid(`${at}.caBundle`, caBundle, "unable to load root certificates: unable to parse bytes as PEM block"));
  }
  return errors;
}

const urlFormatHint = "; desired format: https://host[/path]";

/** Validates the URL of a webhook; also of admission webhooks. */
export function validateWebhookUrl(url: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  try {
    const { scheme, host, user, query } = parseUrl(url);
    const fragment = url.includes("#") ? url.slice(url.indexOf("#") + 1) : "";
    if (scheme !== "https") errors.push(fieldError.invalid(at, scheme, `'https' is the only allowed URL scheme${urlFormatHint}`));
    if (host === "") errors.push(fieldError.invalid(at, host, `host must be specified${urlFormatHint}`));
    if (user !== undefined) errors.push(fieldError.invalid(at, user, "user information is not permitted in the URL"));
    if (fragment !== "") errors.push(fieldError.invalid(at, fragment, "fragments are not permitted in the URL"));
    if (query !== "") errors.push(fieldError.invalid(at, query, "query parameters are not permitted in the URL"));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    errors.push(fieldError.required(at, `url must be a valid URL: ${error.message}${urlFormatHint}`));
  }
  return errors;
}

function validateServiceReference(service: NonNullable<CrdWebhookClientConfig["service"]>, at: string): FieldError[] {
  // kube-apiserver swaps the two when it validates them, which shows in the field it reports as missing.
  const { name: namespace = "", namespace: name = "", path: urlPath, port = 443 } = service;
  const errors: FieldError[] = [];
  if (name === "") errors.push(fieldError.required(`${at}.name`));
  if (namespace === "") errors.push(fieldError.required(`${at}.namespace`));
  if (port < 1 || port > 65535)
    errors.push(fieldError.invalid(`${at}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  if (urlPath !== undefined) errors.push(...validateUrlPath(urlPath, `${at}.path`));
  return errors;
}

function validateUrlPath(urlPath: string, at: string): FieldError[] {
  if (urlPath === "/" || urlPath === "") return [];
  if (urlPath === "//") return [fieldError.invalid(at, urlPath, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith("/")) errors.push(fieldError.invalid(at, urlPath, "must start with a '/'"));
  for (const [i, segment] of urlPath.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") errors.push(fieldError.invalid(at, urlPath, `segment[${i}] may not be empty`));
    else for (const problem of validateDnsSubdomain(segment)) errors.push(fieldError.invalid(at, urlPath, `segment[${i}]: ${problem}`));
  }
  return errors;
}

const supportedReviewVersions = ["v1", "v1beta1"];

function validateReviewVersions(versions: readonly string[], requireKnown: boolean): FieldError[] {
  const at = `${path}.conversionReviewVersions`;
  if (versions.length === 0) return [fieldError.required(at)];
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(fieldError.invalid(`${at}[${i}]`, version, "duplicate version"));
    else errors.push(...validateDns1035Label(version).map((problem) => fieldError.invalid(`${at}[${i}]`, version, problem)));
  }
  if (requireKnown && !hasSupportedReviewVersion(versions)) {
    errors.push(fieldError.invalid(at, versions, `must include at least one of ${supportedReviewVersions.join(", ")}`));
  }
  return errors;
}

export function hasSupportedReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => supportedReviewVersions.includes(version));
}

/** Returns whether the base64 text contains at least one PEM certificate. */
export function isCaBundle(base64: string): boolean {
  const blocks = splitPemBlocks(Buffer.from(base64, "base64").toString("latin1"));
  return blocks.some(({ type, text }) => type === "CERTIFICATE" && isCertificate(text));
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
