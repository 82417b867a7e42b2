/**
 * From OLM v0 to OLM v1: a Subscription becomes a ClusterExtension.
 *
 * In: objects of OLM v0. Out: a ClusterExtension, and what it cannot express. Pure.
 */
export {
  type ConvertedSubscription,
  convertSubscription,
  type OperatorGroup,
  type Subscription,
  type SubscriptionContext,
} from "./convert-subscription.ts";
