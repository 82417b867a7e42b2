import { X509Certificate } from "node:crypto";
import { dns1035Problems, dnsSubdomainProblems, type FieldError, fieldError } from "../../status/index.ts";
import { parseUrl, UrlError } from "../text/go-url.ts";
import type { CrdConversion, CrdWebhook } from "./crd.ts";

export interface ConversionOptions {
  readonly requireKnownVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

const path = "spec.conversion";
const strategies = ["None", "Webhook"];

export function conversionErrors(conversion: CrdConversion | undefined, options: ConversionOptions): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(fieldError.required(`${path}.strategy`));
  else if (!strategies.includes(strategy)) errors.push(fieldError.notSupported(`${path}.strategy`, strategy, strategies));
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === "Webhook") {
    errors.push(...clientErrors(webhook?.clientConfig, options), ...reviewVersionErrors(versions, options.requireKnownVersion));
    return errors;
  }
  const unset = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) errors.push(fieldError.forbidden(`${path}.webhookClientConfig`, unset));
  if (versions.length > 0) errors.push(fieldError.forbidden(`${path}.conversionReviewVersions`, unset));
  return errors;
}

function clientErrors(client: CrdWebhook | undefined, options: ConversionOptions): FieldError[] {
  const at = `${path}.webhookClientConfig`;
  if (client === undefined) return [fieldError.required(at, "required when strategy is set to Webhook")];
  const { url, service, caBundle = "" } = client;
  const errors: FieldError[] = [];
  if ((url === undefined) === (service === undefined)) errors.push(fieldError.required(at, "exactly one of url or service is required"));
  else if (url !== undefined) errors.push(...urlErrors(url, `${at}.url`));
  else errors.push(...serviceErrors(service!, `${at}.service`));
  if (caBundle !== "" && !options.allowInvalidCaBundle && !isCaBundle(caBundle)) {
    errors.push(fieldError.invalid(`${at}.caBundle`, caBundle, "unable to load root certificates: unable to parse bytes as PEM block"));
  }
  return errors;
}

const form = "; desired format: https://host[/path]";

function urlErrors(url: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  try {
    const { scheme, host, user, query } = parseUrl(url);
    const fragment = url.includes("#") ? url.slice(url.indexOf("#") + 1) : "";
    if (scheme !== "https") errors.push(fieldError.invalid(at, scheme, `'https' is the only allowed URL scheme${form}`));
    if (host === "") errors.push(fieldError.invalid(at, host, `host must be specified${form}`));
    if (user !== undefined) errors.push(fieldError.invalid(at, user, "user information is not permitted in the URL"));
    if (fragment !== "") errors.push(fieldError.invalid(at, fragment, "fragments are not permitted in the URL"));
    if (query !== "") errors.push(fieldError.invalid(at, query, "query parameters are not permitted in the URL"));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    errors.push(fieldError.required(at, `url must be a valid URL: ${error.message}${form}`));
  }
  return errors;
}

function serviceErrors(service: NonNullable<CrdWebhook["service"]>, at: string): FieldError[] {
  // The server mixes up the two when it checks them; only which one is reported as missing shows it.
  const { name: namespace = "", namespace: name = "", path: urlPath, port = 443 } = service;
  const errors: FieldError[] = [];
  if (name === "") errors.push(fieldError.required(`${at}.name`));
  if (namespace === "") errors.push(fieldError.required(`${at}.namespace`));
  if (port < 1 || port > 65535)
    errors.push(fieldError.invalid(`${at}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  if (urlPath !== undefined) errors.push(...pathErrors(urlPath, `${at}.path`));
  return errors;
}

function pathErrors(urlPath: string, at: string): FieldError[] {
  if (urlPath === "/" || urlPath === "") return [];
  if (urlPath === "//") return [fieldError.invalid(at, urlPath, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith("/")) errors.push(fieldError.invalid(at, urlPath, "must start with a '/'"));
  for (const [i, segment] of urlPath.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") errors.push(fieldError.invalid(at, urlPath, `segment[${i}] may not be empty`));
    else for (const problem of dnsSubdomainProblems(segment)) errors.push(fieldError.invalid(at, urlPath, `segment[${i}]: ${problem}`));
  }
  return errors;
}

const knownVersions = ["v1", "v1beta1"];

function reviewVersionErrors(versions: readonly string[], requireKnown: boolean): FieldError[] {
  const at = `${path}.conversionReviewVersions`;
  if (versions.length === 0) return [fieldError.required(at)];
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(fieldError.invalid(`${at}[${i}]`, version, "duplicate version"));
    else errors.push(...dns1035Problems(version).map((problem) => fieldError.invalid(`${at}[${i}]`, version, problem)));
  }
  if (requireKnown && !hasKnownVersion(versions)) {
    errors.push(fieldError.invalid(at, versions, `must include at least one of ${knownVersions.join(", ")}`));
  }
  return errors;
}

export function hasKnownVersion(versions: readonly string[]): boolean {
  return versions.some((version) => knownVersions.includes(version));
}

/** At least one certificate in PEM, base64 around it. */
export function isCaBundle(base64: string): boolean {
  const blocks = Buffer.from(base64, "base64")
    .toString("latin1")
    .match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return blocks?.some(isCertificate) ?? false;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
