import type { ResourceRequirements } from "pintle/kinds/core/v1";
import { fieldError, validateQualifiedName } from "../../status/index.ts";
import type { Unvalidated } from "../draft.ts";
import { compareQuantities, nanos } from "../quantities.ts";
import { createInvalidErrors, type FieldErrors, validateDnsLabelField, validateNonnegativeQuantity } from "./validators.ts";

const HUGE_PAGES = /^(requests\.)?hugepages-/;
const CONTAINER_RESOURCES = new Set(["cpu", "memory", "ephemeral-storage"]);
const COUNTED_RESOURCES = new Set(
  `pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims services.nodeports
   services.loadbalancers`.split(/\s+/),
);
const QUOTA_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  ...COUNTED_RESOURCES,
  ...["cpu", "memory", "storage", "ephemeral-storage"].map((name) => `requests.${name}`),
  ...["cpu", "memory", "ephemeral-storage"].map((name) => `limits.${name}`),
]);

const NO_QUANTITIES: readonly (readonly [string, string])[] = [];

const isNativeResource = (name: string) => !name.includes("/") || name.includes("kubernetes.io/");
export const isOvercommitAllowed = (name: string) => isNativeResource(name) && !/^hugepages-/.test(name);
export const isExtendedResource = (name: string) =>
  !isNativeResource(name) && !name.startsWith("requests.") && validateQualifiedName(`requests.${name}`).length === 0;

/** Validates a resource name: a standard one or a qualified name. */
export function* validateResourceName(field: string, name: string): FieldErrors {
  const problems = validateQualifiedName(name);
  yield* createInvalidErrors(field, name, problems);
  if (problems.length > 0 || name.includes("/") || QUOTA_RESOURCES.has(name) || name === "storage" || HUGE_PAGES.test(name)) return;
  yield fieldError.invalid(field, name, "must be a standard resource type or fully qualified");
}

export function* validateContainerResourceName(field: string, name: string): FieldErrors {
  if (CONTAINER_RESOURCES.has(name)) return;
  yield* validateResourceName(field, name);
  if (!name.includes("/")) {
    if (!/^hugepages-/.test(name)) yield fieldError.invalid(field, name, "must be a standard resource for containers");
  } else if (!isNativeResource(name) && !isExtendedResource(name))
    yield fieldError.invalid(field, name, "doesn't follow extended resource name standard");
}

export function* validateQuotaResourceName(field: string, name: string): FieldErrors {
  yield* validateResourceName(field, name);
  if (!name.includes("/") && !QUOTA_RESOURCES.has(name) && !HUGE_PAGES.test(name)) {
    yield fieldError.invalid(field, name, "must be a standard resource for quota");
  }
}

export function* validateResourceQuantity(field: string, name: string, value: string): FieldErrors {
  yield* validateNonnegativeQuantity(field, value);
  if (!CONTAINER_RESOURCES.has(name) && (COUNTED_RESOURCES.has(name) || isExtendedResource(name)) && nanos(value) % 1_000_000_000n !== 0n) {
    yield fieldError.invalid(field, value, "must be an integer");
  }
}

type Requirements = Unvalidated<ResourceRequirements> | null | undefined;
type Quantities = Readonly<Record<string, string | null | undefined>>;

/** Sorts by resource name; the order of kube-apiserver is that of a Go map and thus random. */
const sortQuantities = (list: Quantities | null | undefined) =>
  list == null
    ? NO_QUANTITIES
    : Object.keys(list)
        .sort()
        .map((name) => [name, list[name] ?? "0"] as const);

/** Validates the resources of a container. `claims` are the names of the pod's resource claims. */
export function* validateContainerResources(
  field: string,
  resources: Requirements,
  claims: ReadonlySet<string>,
  validateName: (field: string, name: string) => FieldErrors = validateContainerResourceName,
): FieldErrors {
  const limits = resources?.limits ?? {};
  const quantityOf = function* (at: string, name: string, value: string): FieldErrors {
    yield* validateName(at, name);
    yield* validateResourceQuantity(at, name, value);
    yield* validateHugePages(at, name, value);
  };
  for (const [name, value] of sortQuantities(limits)) yield* quantityOf(`${field}.limits[${name}]`, name, value);
  for (const [name, value] of sortQuantities(resources?.requests)) {
    yield* quantityOf(`${field}.requests[${name}]`, name, value);
    yield* validateRequestWithinLimit(field, name, value, limits[name]);
  }
  const names = [...Object.keys(limits), ...Object.keys(resources?.requests ?? {})];
  if (names.some((name) => /^hugepages-/.test(name)) && !names.includes("cpu") && !names.includes("memory")) {
    yield fieldError.forbidden(field, "HugePages require cpu or memory");
  }
  if (resources?.claims) yield* validateClaimNames(`${field}.claims`, resources, claims);
}

function* validateHugePages(field: string, name: string, value: string): FieldErrors {
  const [, size] = /^hugepages-(.+)$/.exec(name) ?? [];
  if (size === undefined) return;
  const [page, quantity] = [nanos(size), nanos(value)];
  if (page <= 0n || quantity <= 0n || quantity % page !== 0n) {
    yield fieldError.invalid(field, value, `${value} is not positive integer multiple of ${name}`);
  }
}

function* validateRequestWithinLimit(field: string, name: string, request: string, limit: string | null | undefined): FieldErrors {
  if (limit == null) {
    if (!isOvercommitAllowed(name)) yield fieldError.required(`${field}.limits`, "Limit must be set for non overcommitable resources");
    return;
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    yield fieldError.invalid(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`);
  } else if (order > 0) yield fieldError.invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`);
}

function* validateClaimNames(field: string, resources: Requirements, known: ReadonlySet<string>): FieldErrors {
  const seen = new Set<string>();
  for (const [i, { name, request }] of (resources?.claims ?? []).entries()) {
    const at = `${field}[${i}]`;
    if (!name) {
      yield fieldError.required(at);
      continue;
    }
    if (request) yield* validateDnsLabelField(`${at}.request`, request);
    const key = request ? `${name}/${request}` : name;
    if (seen.has(name) || seen.has(key)) yield fieldError.duplicate(at, key);
    seen.add(key);
    if (known.has(name)) continue;
    const list = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
    const error = fieldError.notFound(at, name);
    yield { ...error, detail: `${error.detail}: must be one of the names in pod.spec.resourceClaims${list}` };
  }
}
