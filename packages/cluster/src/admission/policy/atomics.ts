import { isObject, type Json, type Shape } from "pintle/kinds";

/** Where a configuration speaks of lists, maps or structs that can only be replaced as a whole: what it leaves out would be lost. */
export function atomics(value: Json | undefined, shape: Shape, path = ""): readonly string[] {
  if (Array.isArray(value)) {
    if (shape.items === undefined) return [];
    const whole = shape.list === undefined || shape.list === "atomic" ? [path] : [];
    return [...whole, ...(value as readonly Json[]).flatMap((item, index) => atomics(item, shape.items as Shape, `${path}[${index}]`))];
  }
  if (!isObject(value)) return [];
  const whole = shape.atomic ? [path] : [];
  const inside = Object.entries(value).flatMap(([name, part]) => {
    const field = shape.fields !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    return field === undefined ? [] : atomics(part, field, `${path}.${name}`);
  });
  return [...whole, ...inside];
}
