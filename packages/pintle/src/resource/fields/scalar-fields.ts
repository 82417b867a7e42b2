import * as z from "zod";
import type { Json, Quantity } from "../../kinds/index.ts";
import { withAttributes } from "./field-attributes.ts";
import { acceptsFormat, type StringFormat } from "./string-formats.ts";

const DECIMAL_NUMBER = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
const QUANTITY_PATTERN =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;
const DURATION_PATTERN = new RegExp(`^(0|[-+]?(${DECIMAL_NUMBER}(ns|us|µs|ms|s|m|h))+)$`);

/**
 * A resource quantity: `"500m"`, `"1Gi"` or `2`. Its type is that of the quantities of built-in kinds, so that it can be passed on to them. The API server
 * stores it in a custom resource as it was written: call `String(value)` before operations on text, because a `2` is read back as a number.
 *
 * @example
 * ```ts
 * import { quantity, z } from "pintle";
 *
 * const spec = z.object({ memory: quantity().default("64Mi") });
 * ```
 */
export const quantity = (): z.ZodType<Quantity, number | string> =>
  z.union([z.int(), z.string().regex(QUANTITY_PATTERN)]) as z.ZodType<unknown, number | string> as z.ZodType<Quantity, number | string>;

/**
 * An integer or a string: `80`, `"http"` or `"25%"`. To constrain either side, write the union: `z.union([z.int().min(1), z.string()])`.
 *
 * @example
 * ```ts
 * import { intOrString, z } from "pintle";
 *
 * const spec = z.object({ targetPort: intOrString(), maxUnavailable: intOrString().default("25%") });
 * ```
 */
export const intOrString = () => z.union([z.int(), z.string()]);

/**
 * A Go duration: `"1h30m"`. In CEL its type is `duration`.
 *
 * @example
 * ```ts
 * import { duration, z } from "pintle";
 *
 * const spec = z.object({ timeout: duration().default("30s") });
 * ```
 */
export const duration = () => withAttributes(z.string().regex(DURATION_PATTERN), { format: "duration" });

/**
 * An RFC 3339 time: `"2026-01-02T03:04:05Z"`. In CEL its type is `timestamp`.
 *
 * @example
 * ```ts
 * import { timestamp, z } from "pintle";
 *
 * const spec = z.object({ notBefore: timestamp().optional() });
 * ```
 */
export const timestamp = () => z.iso.datetime({ offset: true });

/**
 * A string in a format that the API server validates.
 *
 * @example
 * ```ts
 * import { stringFormat, z } from "pintle";
 *
 * const spec = z.object({ host: stringFormat("hostname").max(63) });
 * ```
 */
export const stringFormat = (name: StringFormat) =>
  withAttributes(z.string(), { format: name }, (value: string) =>
    acceptsFormat(name, value) ? undefined : `is not of the format ${name}`,
  );

/**
 * A string that is a secret. The flight recorder and trace files hold a keyed hash in its place, also in log lines and errors. In the schema it has the
 * format `password`, which validates nothing. Prefer a reference to a Secret: every client that may read the object reads this field.
 *
 * @example
 * ```ts
 * import { sensitive, z } from "pintle";
 *
 * const spec = z.object({ token: sensitive(z.string().min(8)) });
 * ```
 */
export const sensitive = <S extends z.ZodType<string | null | undefined>>(schema: S): S => withAttributes(schema, { sensitive: true });

/**
 * Any JSON object; all its fields are preserved (`x-kubernetes-preserve-unknown-fields`).
 *
 * @example
 * ```ts
 * import { anyObject, z } from "pintle";
 *
 * const spec = z.object({ values: anyObject().optional() });
 * ```
 */
export const anyObject = () => z.looseObject({});

/**
 * Any JSON value, preserved as it is.
 *
 * @example
 * ```ts
 * import { anyValue, z } from "pintle";
 *
 * const spec = z.object({ parameters: z.record(z.string(), anyValue()).default({}) });
 * ```
 */
export const anyValue = () => z.unknown() as unknown as z.ZodType<Json, Json>;
