/**
 * WebSocket (RFC 6455) on the server's side: handshake, frames, a message channel, and watches over a WebSocket. In comes an upgraded
 * HTTP/1.1 connection; out goes a `Channel`, or the events of a watch as text messages.
 */
export { BEARER_PROTOCOL, readBearerProtocol } from "./bearer-protocol.ts";
export { endWithLinger } from "./lingering-close.ts";
export { createMessageChannel } from "./message-channel.ts";
export { isWebSocketUpgrade, serveWatchOverWebSocket } from "./watch-socket.ts";
