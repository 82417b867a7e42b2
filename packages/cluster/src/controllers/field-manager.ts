/** The options with which the controllers write: the field manager of kube-controller-manager. */
export const FIELD_MANAGER = { fieldManager: "kube-controller-manager" } as const;
