export const BOT_TOKEN = 'xoxb-double-0000000000';
/** The secret of Slack's own example: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const SIGNING_SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
export const CHANNEL = 'C0123456789';
