/** The end of an error message about a folder that is damaged or incomplete. `without` says what is given up. */
export function adviseOnDataLoss(folder: string, without: string): string {
  return `Restore the folder from a backup, or continue without ${without}: 'pintle cluster up --data ${folder} --accept-data-loss', or \`acceptDataLoss\` in the options of startCluster`;
}
