/** Kinds that extend the server: webhooks, admission policies, aggregated APIs. */
import type { RuleTable } from "../rules.ts";
import { apiService } from "./api-service.ts";
import {
  mutatingAdmissionPolicy,
  mutatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingAdmissionPolicyBinding,
} from "./policy.ts";
import { webhookConfiguration } from "./webhook.ts";

export const extensionRules: RuleTable = {
  APIService: apiService,
  MutatingAdmissionPolicy: mutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration: webhookConfiguration,
  ValidatingAdmissionPolicy: validatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration: webhookConfiguration,
};
