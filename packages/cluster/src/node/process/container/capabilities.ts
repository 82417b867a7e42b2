import type { SecurityContext } from "pintle/kinds/core/v1";

/** The capabilities of Linux, in the order of their numbers. */
const ALL_CAPABILITIES =
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE".split(
    " ",
  );

/** What containerd grants to a container that requests nothing. */
const DEFAULT_CAPABILITIES =
  "CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW SYS_CHROOT MKNOD AUDIT_WRITE SETFCAP".split(" ");

/**
 * Resolves the capabilities of a container as containerd does: ALL first, then the others, and what is both added and dropped is dropped. Unknown
 * names have no effect. Returns `undefined` for a privileged container, which has all capabilities of the node.
 */
export function resolveCapabilities({ privileged, capabilities = {} }: SecurityContext = {}): readonly string[] | undefined {
  if (privileged === true) return undefined;
  const add = (capabilities.add ?? []).map((name) => name.toUpperCase());
  const drop = (capabilities.drop ?? []).map((name) => name.toUpperCase());
  const initial = drop.includes("ALL") ? [] : add.includes("ALL") ? ALL_CAPABILITIES : DEFAULT_CAPABILITIES;
  return ALL_CAPABILITIES.filter((name) => (initial.includes(name) || add.includes(name)) && !drop.includes(name));
}
