import { Failure, ListValue, MapValue, type Value } from "../values/value.ts";

/**
 * The work of calls that take longer here than their cost upstream says. It is charged in addition while an expression runs, so that a unit of cost
 * stands for at most a quarter of a microsecond, and the budget of an expression for a quarter of a second.
 */
type CallWork = (args: readonly Value[], result: Value) => number;

/** Failed calls build a text that quotes their argument. */
const FAILURE_WORK = 12;
const FAILURE_CHARACTERS = 16;
const SHORT_PARSING_WORK = 5;

const getLength = (value: Value | undefined): number => (typeof value === "string" || value instanceof Uint8Array ? value.length : 0);
const getCount = (value: Value | undefined): number => (value instanceof ListValue || value instanceof MapValue ? value.size : 0);

const parse: CallWork = ([text]) => SHORT_PARSING_WORK + Math.floor(getLength(text) / 16);
const format: CallWork = () => SHORT_PARSING_WORK;
/** Items that are looked up one by one, or copied. */
const visitItems: CallWork = ([list], result) => Math.floor((getCount(list) + getCount(result)) / 4);
const comparePairs: CallWork = ([a, b]) => getCount(a) * getCount(b) + Math.floor((getCount(a) + getCount(b)) / 8);
const copyEntries: CallWork = ([map, more]) => Math.floor((getCount(map) * Math.max(1, getCount(more))) / 2);
const readText: CallWork = ([text, other]) => Math.floor((getLength(text) + getLength(other)) / 128);

const workByOverload: Readonly<Record<string, CallWork>> = {
  ...forOverloads(
    parse,
    "string_to_timestamp",
    "string_to_duration",
    "string_to_double",
    "string_to_quantity",
    "is_quantity_string",
    "string_to_semver",
    "string_bool_to_semver",
    "is_semver_string",
    "is_semver_string_bool",
    "string_to_ip",
    "is_ip",
    "ip_is_canonical",
    "string_to_cidr",
    "is_cidr",
    "bytes_to_string",
    "format-named",
  ),
  ...forOverloads(
    ([, text]) => SHORT_PARSING_WORK + Math.floor(getLength(text) / 16),
    "format-validate",
    "cidr_contains_ip_string",
    "cidr_contains_cidr_string",
  ),
  // A URL is parsed twice, and its parts are searched for characters.
  ...forOverloads(([text]) => 2 * SHORT_PARSING_WORK + Math.floor(getLength(text) / 16), "string_to_url", "is_url_string"),
  url_get_query: (_, result) => {
    let items = 0;
    if (result instanceof MapValue) for (const key of result.keys()) items += 1 + getCount(result.find(key)) + getLength(key) / 16;
    return SHORT_PARSING_WORK + Math.ceil(items * 4);
  },
  ...forOverloads(format, "ip_to_string", "cidr_to_string", "timestamp_to_string", "duration_to_string", "double_to_string"),
  ...forOverloads(format, "quantity_sub", "quantity_sub_int", "quantity_add", "quantity_add_int", "quantity_compare_to"),
  ...forOverloads(format, "quantity_is_greater_than", "quantity_is_less_than", "quantity_get_float"),
  ...forOverloads(comparePairs, "list_sets_contains_list", "list_sets_intersects_list"),
  list_sets_equivalent_list: (args, result) => 2 * comparePairs(args, result),
  ...forOverloads(visitItems, "optional_unwrap", "optional_unwrapOpt", "list_flatten", "list_flatten_int", "list_distinct"),
  ...forOverloads(visitItems, "string_find_all_string", "string_find_all_string_int", "string_split_string", "string_split_string_int"),
  ...forOverloads(copyEntries, "@mapInsert_key_value", "@mapInsert_map"),
  ...forOverloads((_, result) => Math.floor(getLength(result) / 256), "string_replace_string_string", "string_replace_string_string_int"),
  ...forOverloads(
    readText,
    "map_optindex_optional_value",
    "optional_map_optindex_optional_value",
    "index_map",
    "in_map",
    "less_string",
    "less_equals_string",
    "greater_string",
    "greater_equals_string",
    "equals",
    "not_equals",
  ),
};

function forOverloads(work: CallWork, ...ids: string[]): Record<string, CallWork> {
  return Object.fromEntries(ids.map((id) => [id, work]));
}

/** Returns what a call costs beyond its cost upstream. */
export function getCallWork(overload: string, args: readonly Value[], result: Value): number {
  const work = workByOverload[overload]?.(args, result) ?? 0;
  if (!(result instanceof Failure)) return work;
  return work + FAILURE_WORK + Math.floor(args.reduce((sum: number, arg) => sum + getLength(arg), 0) / FAILURE_CHARACTERS);
}
