/** Why a container cannot be made as its pod wants it: what `CreateContainerConfigError` says. */
export class ConfigProblem extends Error {}
