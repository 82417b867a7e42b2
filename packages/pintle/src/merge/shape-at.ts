import { type Shape, UNTYPED } from "../kinds/index.ts";

/** The shape of a field; undefined where a struct does not declare it. */
export function fieldShape(shape: Shape, name: string): Shape | undefined {
  if (shape.fields !== undefined && Object.hasOwn(shape.fields, name)) return shape.fields[name];
  return shape.values ?? (shape.untyped && shape.fields === undefined ? UNTYPED : undefined);
}

/** Is it a field of a struct, not a key of a map? */
export function isDeclared(shape: Shape, name: string): boolean {
  return shape.fields !== undefined && Object.hasOwn(shape.fields, name);
}

/** May values be objects whose fields belong to different people? */
export function isGranularMap(shape: Shape): boolean {
  return hasMap(shape) && !shape.atomic;
}

export function hasMap(shape: Shape): boolean {
  return shape.fields !== undefined || shape.values !== undefined || shape.untyped === true;
}

export function hasList(shape: Shape): boolean {
  return shape.items !== undefined || shape.untyped === true;
}

export function hasScalar(shape: Shape): boolean {
  return shape.untyped === true || !(hasMap(shape) || hasList(shape));
}
