import { type Shape, UNTYPED_SHAPE } from "../../kinds/index.ts";

/** Returns the shape of a field; undefined if a struct does not declare it. */
export function fieldShape(shape: Shape, name: string): Shape | undefined {
  if (shape.fields !== undefined && Object.hasOwn(shape.fields, name)) return shape.fields[name];
  return shape.values ?? (shape.untyped && shape.fields === undefined ? UNTYPED_SHAPE : undefined);
}

/** Whether it is a field of a struct, not a key of a map. */
export function isDeclaredField(shape: Shape, name: string): boolean {
  return shape.fields !== undefined && Object.hasOwn(shape.fields, name);
}

/** Whether values may be objects whose fields can have different managers. */
export function isGranularMap(shape: Shape): boolean {
  return allowsMap(shape) && !shape.atomic;
}

/** Whether values may be objects. */
export function allowsMap(shape: Shape): boolean {
  return shape.fields !== undefined || shape.values !== undefined || shape.untyped === true;
}

/** Whether values may be lists. */
export function allowsList(shape: Shape): boolean {
  return shape.items !== undefined || shape.untyped === true;
}

/** Whether values may be scalars. */
export function allowsScalar(shape: Shape): boolean {
  return shape.untyped === true || !(allowsMap(shape) || allowsList(shape));
}
