/** A command that hands out credentials: `exec` of a kubeconfig user. */
export interface ExecPlugin {
  readonly apiVersion: "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** What to tell a user who has not got the command. */
  readonly installHint?: string | undefined;
  readonly provideClusterInfo: boolean;
  /** Whether the command may talk to the user. */
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}
