"""The entries of the commands of the service in the list of all commands."""

from docmt.cli.command_entry import TRANSLATE, CommandEntry

SERVE = CommandEntry(
    TRANSLATE, "Translate over HTTP, for programs and browsers.", "docmt_serve.cli.serve:serve"
)
MCP = CommandEntry(
    TRANSLATE, "Translate for chats and editors, by their protocol.", "docmt_serve.cli.mcp:mcp"
)
