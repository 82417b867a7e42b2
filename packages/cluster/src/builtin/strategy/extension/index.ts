/** Strategies of webhook configurations, admission policies and API services. */
import type { StrategyTable } from "../kind-strategy.ts";
import { apiServiceStrategy } from "./api-service.ts";
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from "./policy.ts";
import { webhookConfigurationStrategy } from "./webhook.ts";

export const extensionStrategies: StrategyTable = {
  APIService: apiServiceStrategy,
  MutatingAdmissionPolicy: mutatingAdmissionPolicyStrategy,
  MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBindingStrategy,
  MutatingWebhookConfiguration: webhookConfigurationStrategy,
  ValidatingAdmissionPolicy: validatingAdmissionPolicyStrategy,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBindingStrategy,
  ValidatingWebhookConfiguration: webhookConfigurationStrategy,
};
