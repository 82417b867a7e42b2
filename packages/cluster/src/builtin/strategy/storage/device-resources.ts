import type {
  DeviceClaim,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "pintle/kinds/resource/v1";
import { fieldError } from "../../../status/index.ts";
import type { Unvalidated } from "../../draft.ts";
import { resourceClaimPrinter, resourceSlicePrinter } from "../../printers/others.ts";
import { NAME_AND_AGE_PRINTER } from "../../printers/table-printer.ts";
import { validateNodeSelector } from "../../validation/scheduling.ts";
import {
  type FieldErrors,
  validateDnsLabelField,
  validateDnsSubdomainField,
  validateEnum,
  validateImmutableField,
} from "../../validation/validators.ts";
import { validateCsiDriverName } from "../../validation/volumes.ts";
import { defineStrategy } from "../kind-strategy.ts";

export const resourceClaimStrategy = defineStrategy<ResourceClaim>({
  validate: ({ spec }) => validateDeviceClaim("spec.devices", spec?.devices),
  validateUpdate: (object, live) => validateImmutableField("spec", object.spec, live.spec),
  tablePrinter: resourceClaimPrinter,
});

export const resourceClaimTemplateStrategy = defineStrategy<ResourceClaimTemplate>({
  validate: ({ spec }) => validateDeviceClaim("spec.spec.devices", spec?.spec?.devices),
  validateUpdate: function* (object, live) {
    yield* validateDeviceClaim("spec.spec.devices", object.spec?.spec?.devices);
    yield* validateImmutableField("spec", object.spec, live.spec);
  },
  tablePrinter: NAME_AND_AGE_PRINTER,
});

const EXACTLY_ONE_REQUEST = "exactly one of `exactly` or `firstAvailable` is required";

function* validateDeviceClaim(field: string, claim: Unvalidated<DeviceClaim> | null | undefined): FieldErrors {
  yield* validateUniqueNames(`${field}.requests`, claim?.requests, 32, validateDeviceRequest);
}

function* validateDeviceRequest(field: string, { name, exactly, firstAvailable }: Unvalidated<DeviceRequest>): FieldErrors {
  yield* validateDnsLabelField(`${field}.name`, name ?? "");
  if (exactly && firstAvailable?.length) yield fieldError.invalid(field, null, `${EXACTLY_ONE_REQUEST}, but multiple fields are set`);
  else if (exactly) yield* validateDevices(`${field}.exactly`, exactly);
  else if (firstAvailable?.length) yield* validateUniqueNames(`${field}.firstAvailable`, firstAvailable, 8, validateDeviceSubRequest);
  else yield fieldError.required(field, EXACTLY_ONE_REQUEST);
}

function* validateDeviceSubRequest(field: string, request: Unvalidated<DeviceSubRequest>): FieldErrors {
  yield* validateDnsLabelField(`${field}.name`, request.name ?? "");
  yield* validateDevices(field, request);
}

function* validateDevices(field: string, { deviceClassName, allocationMode, count }: Unvalidated<ExactDeviceRequest>): FieldErrors {
  if (deviceClassName) yield* validateDnsSubdomainField(`${field}.deviceClassName`, deviceClassName);
  else yield fieldError.required(`${field}.deviceClassName`);
  const devices = count ?? 0;
  if (allocationMode === "All" && devices !== 0) {
    yield fieldError.invalid(`${field}.count`, devices, "must not be specified when allocationMode is 'All'");
  }
  if (allocationMode === "ExactCount" && devices <= 0) yield fieldError.invalid(`${field}.count`, devices, "must be greater than zero");
  yield* validateEnum(`${field}.allocationMode`, allocationMode ?? "", ["All", "ExactCount"]);
}

export const resourceSliceStrategy = defineStrategy<ResourceSlice>({
  validate: function* (object) {
    yield* validatePool(object);
    yield* validateSliceContent(object);
  },
  validateUpdate: function* (object, live) {
    yield* validatePool(object);
    yield* validateImmutableField("spec.pool.name", object.spec?.pool?.name, live.spec?.pool?.name);
    yield* validateImmutableField("spec.driver", object.spec?.driver, live.spec?.driver);
    yield* validateImmutableField("spec.nodeName", object.spec?.nodeName, live.spec?.nodeName);
    yield* validateSliceContent(object);
  },
  tablePrinter: resourceSlicePrinter,
  selectableFields: { "spec.nodeName": ({ spec }) => spec?.nodeName ?? "", "spec.driver": ({ spec }) => spec?.driver ?? "" },
});

const EXACTLY_ONE_NODE_SELECTION = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

function* validatePool({ spec }: Unvalidated<ResourceSlice>): FieldErrors {
  yield* validateCsiDriverName("spec.driver", spec?.driver);
  yield* validatePoolName("spec.pool.name", spec?.pool?.name ?? "");
  const { resourceSliceCount = 0, generation = 0 } = spec?.pool ?? {};
  if ((resourceSliceCount ?? 0) <= 0) {
    yield fieldError.invalid("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero");
  }
  if ((generation ?? 0) < 0) yield fieldError.invalid("spec.pool.generation", generation, "must be greater than or equal to zero");
}

function* validateSliceContent({ spec }: Unvalidated<ResourceSlice>): FieldErrors {
  yield* validateNodeSelection(spec ?? {});
  yield* validateUniqueNames("spec.devices", spec?.devices, 128, function* (field, { name }) {
    yield* validateDnsLabelField(`${field}.name`, name ?? "");
  });
}

function* validateNodeSelection(spec: NonNullable<Unvalidated<ResourceSlice>["spec"]>): FieldErrors {
  const { nodeName, nodeSelector: selector } = spec;
  if (nodeName === "") yield fieldError.invalid("spec.nodeName", nodeName, "must be either unset or set to a non-empty string");
  if (nodeName) yield* validateDnsSubdomainField("spec.nodeName", nodeName);
  if (selector) yield* validateNodeSelector("spec.nodeSelector", selector);
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[field] === false) yield fieldError.invalid(`spec.${field}`, false, "must be either unset or set to true");
  }
  const fields = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
  const specified = fields.filter((field) => spec[field]).map((field) => `\`${field}\``);
  if (specified.length === 0) yield fieldError.required("spec", EXACTLY_ONE_NODE_SELECTION);
  if (specified.length > 1)
    yield fieldError.invalid("spec", `{${specified.join(", ")}}`, `${EXACTLY_ONE_NODE_SELECTION}, but multiple fields are set`);
}

function* validatePoolName(field: string, name: string): FieldErrors {
  if (name === "") return yield fieldError.required(field);
  if (name.length > 253) yield fieldError.tooLong(field, 253);
  for (const part of name.split("/")) yield* validateDnsSubdomainField(field, part);
}

/** Validates a list whose items have unique names. */
function* validateUniqueNames<T extends { readonly name?: string | null | undefined }>(
  field: string,
  items: readonly T[] | null | undefined,
  max: number,
  validateItem: (field: string, item: T) => FieldErrors,
): FieldErrors {
  const names = new Set<string>();
  for (const [i, item] of (items ?? []).entries()) {
    yield* validateItem(`${field}[${i}]`, item);
    if (names.has(item.name ?? "")) yield fieldError.duplicate(`${field}[${i}]`, item.name ?? "");
    names.add(item.name ?? "");
  }
  if ((items?.length ?? 0) > max) yield fieldError.tooMany(field, items!.length, max);
}
