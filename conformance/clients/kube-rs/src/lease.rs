use k8s_openapi::api::coordination::v1::Lease as LeaseObject;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::report::{Outcome, report_step};

const NAME: &str = "operator";

/// The leader election lease.
pub struct Lease {
    leases: Api<LeaseObject>,
}

impl Lease {
    pub async fn take(client: Client, namespace: &str) -> Outcome<Self> {
        let leases = Api::<LeaseObject>::namespaced(client, namespace);
        let now = "2030-01-02T03:04:05.678901Z";
        let spec = json!({ "holderIdentity": "me", "leaseDurationSeconds": 15, "acquireTime": now, "renewTime": now, "leaseTransitions": 0 });
        let wanted: LeaseObject = serde_json::from_value(json!({ "metadata": { "name": NAME }, "spec": spec }))?;
        let mut taken = leases.create(&PostParams::default(), &wanted).await?;
        report_step("led", &taken);
        if let Some(spec) = taken.spec.as_mut() {
            spec.lease_duration_seconds = Some(30);
        }
        report_step("renewed", leases.replace(NAME, &PostParams::default(), &taken).await?);
        Ok(Self { leases })
    }

    pub async fn release(self) -> Outcome<()> {
        let release = Patch::Merge(json!({ "spec": { "holderIdentity": null, "leaseDurationSeconds": 1 } }));
        report_step("released", self.leases.patch(NAME, &PatchParams::default(), &release).await?);
        Ok(())
    }
}
