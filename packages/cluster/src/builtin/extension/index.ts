/** Kinds that extend the server: webhooks, admission policies, custom resources, aggregated APIs. */
import type { RuleTable } from "../rules.ts";
import { apiServiceTable, mutatingPolicyTable, policyBindingTable, validatingPolicyTable, webhookTable } from "../table/others.ts";

export const extensionRules: RuleTable = {
  APIService: { table: apiServiceTable },
  CustomResourceDefinition: {},
  MutatingAdmissionPolicy: { table: mutatingPolicyTable },
  MutatingAdmissionPolicyBinding: { table: policyBindingTable },
  MutatingWebhookConfiguration: { table: webhookTable },
  ValidatingAdmissionPolicy: { table: validatingPolicyTable },
  ValidatingAdmissionPolicyBinding: { table: policyBindingTable },
  ValidatingWebhookConfiguration: { table: webhookTable },
};
