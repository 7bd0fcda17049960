/** An answer with a status or headers of its own. */
export class Reply<Status extends number = number, Content = unknown> {
  readonly status: Status;
  readonly body: Content;
  readonly headers: Record<string, string>;

  constructor(status: Status, body: Content, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Answers with a status other than 200, or with headers. */
export function answer<const Status extends number, Content>(
  status: Status,
  body: Content,
  headers?: Record<string, string>,
): Reply<Status, Content> {
  return new Reply(status, body, headers);
}
