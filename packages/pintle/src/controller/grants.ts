export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

/** What Roles owned by a controller may grant: nobody may hand out more than they have. */
export interface Grant {
  readonly grants: readonly PolicyRule[];
}

/** `needs: [grants({ apiGroups: [""], resources: ["pods"], verbs: ["get"] })]` of a controller that owns Roles. */
export function grants(...rules: readonly PolicyRule[]): Grant {
  return Object.freeze({ grants: rules });
}
