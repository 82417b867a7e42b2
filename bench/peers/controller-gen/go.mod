module pintle.dev/bench/controller-gen

go 1.26.0

require (
	k8s.io/apimachinery v0.37.0
	sigs.k8s.io/controller-tools v0.23.0
)
