import * as z from "zod";
import type { Json } from "../kinds/index.ts";
import { mark } from "./facts.ts";
import { type Format, takes } from "./formats.ts";

const NUMBER = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
const QUANTITY = /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;
const DURATION = new RegExp(`^(0|[-+]?(${NUMBER}(ns|us|µs|ms|s|m|h))+)$`);

/** `"500m"`, `"1Gi"` or `2`. A custom resource keeps what was written, so both forms can be read back. */
export const quantity = () => z.union([z.int(), z.string().regex(QUANTITY)]);

/** `80`, `"http"` or `"25%"`. To narrow either side, write the union yourself: `z.union([z.int().min(1), z.string()])`. */
export const intOrString = () => z.union([z.int(), z.string()]);

/** A Go duration: `"1h30m"`. In CEL it is a duration, not a string. */
export const duration = () => mark(z.string().regex(DURATION), { format: "duration" });

/** An RFC 3339 time: `"2026-01-02T03:04:05Z"`. In CEL it is a timestamp. */
export const time = () => z.iso.datetime({ offset: true });

/** A string in one of the server's own formats: `format("hostname").max(63)`. */
export const format = (name: Format) =>
  mark(z.string(), { format: name }, (value: string) => (takes(name, value) ? undefined : `is not of the format ${name}`));

/** Any JSON object, kept as it is. */
export const anyObject = () => z.looseObject({});

/** Any JSON value, kept as it is. */
export const anyValue = () => z.unknown() as unknown as z.ZodType<Json, Json>;
