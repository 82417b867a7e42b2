// Runs commands of operator-sdk with its own code: `bundle validate`, the built-in tests of scorecard, and the formats of its results.
// It is compiled inside a copy of the operator-sdk module, because that code is internal to it; the rest of operator-sdk takes much longer to build.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	scorecardv1alpha3 "github.com/operator-framework/api/pkg/apis/scorecard/v1alpha3"
	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/operator-sdk/internal/cmd/operator-sdk/bundle/validate"
	"github.com/operator-framework/operator-sdk/internal/registry"
	"github.com/operator-framework/operator-sdk/internal/scorecard/tests"
)

func main() {
	switch os.Args[1] {
	case "validate":
		command := validate.NewCmd()
		command.SetArgs(os.Args[2:])
		if err := command.Execute(); err != nil {
			os.Exit(2)
		}
	case "scorecard":
		runScorecard(os.Args[2])
	case "text":
		var list scorecardv1alpha3.TestList
		check(json.NewDecoder(os.Stdin).Decode(&list))
		for _, test := range list.Items {
			fmt.Println(test.MarshalText())
		}
	}
}

func runScorecard(folder string) {
	bundle, err := manifests.GetBundleFromDir(folder)
	check(err)
	metadata, _, err := registry.FindBundleMetadata(folder)
	check(err)
	results := []scorecardv1alpha3.TestStatus{
		tests.CheckSpecTest(bundle),
		tests.BundleValidationTest(folder, metadata),
		tests.CRDsHaveValidationTest(bundle),
		tests.CRDsHaveResourcesTest(bundle),
		tests.SpecDescriptorsTest(bundle),
		tests.StatusDescriptorsTest(bundle),
	}
	check(json.NewEncoder(os.Stdout).Encode(results))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
