package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"go.podman.io/image/v5/types"

	"github.com/operator-framework/operator-controller/internal/catalogd/storage"
	"github.com/operator-framework/operator-controller/internal/shared/util/image"
)

func init() {
	operations["catalogd"] = startCatalogd
}

type catalogdRequest struct {
	// An empty folder for what is stored and unpacked.
	Root string `json:"root"`
	// Catalogs in folders, by name.
	Folders map[string]string `json:"folders"`
	// Catalogs in registries without TLS, by name.
	Images  map[string]string `json:"images"`
	Metas   bool              `json:"metas"`
	GraphQL bool              `json:"graphql"`
	// The modification time of all catalogs, in seconds.
	Modified int64 `json:"modified"`
}

// Serves catalogs with the storage, the handlers and the compression of catalogd, and answers with the port and what could not be stored.
func startCatalogd(line []byte) map[string]any {
	var req catalogdRequest
	if err := json.Unmarshal(line, &req); err != nil {
		return map[string]any{"failure": err.Error()}
	}
	ctx := context.Background()
	store := storage.NewLocalDirV1(req.Root+"/store", &url.URL{Path: "/catalogs/"}, storage.MetasHandlerMode(req.Metas), storage.GraphQLQueriesMode(req.GraphQL))
	failed := map[string]string{}
	for name, folder := range req.Folders {
		if err := store.Store(ctx, name, os.DirFS(folder)); err != nil {
			failed[name] = err.Error()
		}
	}
	puller := image.ContainersImagePuller{SourceCtxFunc: func(context.Context) (*types.SystemContext, error) {
		return &types.SystemContext{DockerInsecureSkipTLSVerify: types.OptionalBoolTrue}, nil
	}}
	digests := map[string]string{}
	for name, ref := range req.Images {
		files, resolved, _, err := puller.Pull(ctx, name, ref, image.CatalogCache(req.Root+"/unpacked"))
		if err == nil {
			digests[name] = resolved.Digest().String()
			err = store.Store(ctx, name, files)
		}
		if err != nil {
			failed[name] = err.Error()
		}
	}
	if req.Modified != 0 {
		at := time.Unix(req.Modified, 0)
		entries, _ := os.ReadDir(req.Root + "/store")
		for _, entry := range entries {
			_ = os.Chtimes(req.Root+"/store/"+entry.Name()+"/catalog.jsonl", at, at)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return map[string]any{"failure": err.Error()}
	}
	go func() { _ = http.Serve(listener, gzhttp.GzipHandler(store.StorageServerHandler())) }()
	return map[string]any{"port": listener.Addr().(*net.TCPAddr).Port, "failed": failed, "digests": digests}
}
