/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate: writes the completions of the shells from the option table, when bankwise is built.
 *
 *     gen-completion bash|zsh|fish|table
 *
 * `table` writes the table itself, tab-separated, for the test that holds it, the help texts, the
 * man pages and the completions together. Only subcommands that are built appear.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"

static bool belongs(const bw_option *option, const bw_command *command)
{
    return option->commands >> command->id & 1;
}

/* Calls visit for each option of the command. */
static void each_option(const bw_command *command,
                        void (*visit)(const bw_command *, const bw_option *))
{
    const bw_option *option;
    for (size_t i = 0; (option = bw_option_at(i)); i++)
        if (belongs(option, command))
            visit(command, option);
}

/* Calls visit for each subcommand. */
static void each_command(void (*visit)(const bw_command *))
{
    const bw_command *command;
    for (size_t i = 0; (command = bw_command_at(i)); i++)
        visit(command);
}

static void put_choices(const char *choices)
{
    for (; *choices; choices++)
        putchar(*choices == '|' ? ' ' : *choices);
}

static void put_architectures(void)
{
    for (size_t i = 0; i < bw_arch_count(); i++)
        printf("%s%s", i ? " " : "", bw_arch_at(i)->name);
}

static void put_warnings(void)
{
    bool first = true;
    for (unsigned i = 0; i < BW_MSG_COUNT; i++) {
        const bw_message *message = bw_message_of((bw_message_id)i);
        if (message->kind != BW_KIND_WARNING)
            continue;
        printf("%sno-%s", first ? "" : " ", message->id);
        first = false;
    }
}

/* What `help` explains beside the commands. */
static void put_messages(void)
{
    for (unsigned i = 0; i < BW_MSG_COUNT; i++)
        printf("%s%s", i ? " " : "", bw_message_of((bw_message_id)i)->id);
}

/* The words an argument can be; false where it is free. */
static bool put_words(const bw_option *option)
{
    if (option->type == BW_TYPE_CHOICE)
        put_choices(option->choices);
    else if (option->type == BW_TYPE_ARCH)
        put_architectures();
    else if (option->type == BW_TYPE_WARNING)
        put_warnings();
    else
        return false;
    return true;
}

static bool has_words(const bw_option *option)
{
    return option->type == BW_TYPE_CHOICE || option->type == BW_TYPE_ARCH ||
           option->type == BW_TYPE_WARNING;
}

/* Whether a stock pattern can be named in the place of a file. */
static bool takes_patterns(const bw_command *command)
{
    return command->id != BW_COMMAND_COMPARE && command->id != BW_COMMAND_HELP;
}

/* How a shell finds the names of stock patterns in their folder: that of BANKWISE_PATTERNS, or one
 * beside the program, installed or in a build folder of the tree. */
#define LIST_STOCK "find . -name '*.pat' | sed 's|^\\./||; s|\\.pat$||' | sort"

/* ---- table ---- */

static void table_option(const bw_command *command, const bw_option *option)
{
    const char *argument = option->choices ? option->choices : option->argument;
    printf("option\t%s\t%c\t%s\t%s\n", command->name, option->letter ? option->letter : '-',
           option->name, argument ? argument : "");
}

static void table_command(const bw_command *command)
{
    printf("command\t%s\t%s\n", command->name, bw_operands_text(command->operands));
    each_option(command, table_option);
}

/* ---- bash ---- */

static void bash_words(const bw_command *command, const bw_option *option)
{
    if (!has_words(option))
        return;
    printf("    %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    printf(") words=\"");
    put_words(option);
    puts("\" ;;");
}

static void bash_free(const bw_command *command, const bw_option *option)
{
    if (option->type == BW_TYPE_FLAG || option->type == BW_TYPE_FILE || has_words(option))
        return;
    printf("    %s:--%s) return ;;\n", command->name, option->name);
    if (option->letter)
        printf("    %s:-%c) return ;;\n", command->name, option->letter);
}

static void bash_file(const bw_command *command, const bw_option *option)
{
    if (option->type != BW_TYPE_FILE)
        return;
    printf("    %s:--%s", command->name, option->name);
    if (option->letter)
        printf("|%s:-%c", command->name, option->letter);
    puts(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
}

static void bash_name(const bw_command *command, const bw_option *option)
{
    (void)command;
    printf(" --%s", option->name);
}

static void bash_command(const bw_command *command)
{
    each_option(command, bash_words);
    each_option(command, bash_free);
    each_option(command, bash_file);
}

static void bash_options(const bw_command *command)
{
    printf("        %s) words=\"", command->name);
    each_option(command, bash_name);
    puts("\" ;;");
}

/* Files, and stock patterns where they can stand for one; or names of messages. */
static void bash_files(const bw_command *command)
{
    if (command->id == BW_COMMAND_HELP) {
        printf("        %s) COMPREPLY=($(compgen -W \"", command->name);
        put_messages();
        puts("\" -- \"$cur\")); return ;;");
    }
    if (takes_patterns(command))
        printf("        %s) COMPREPLY=($(compgen -f -- \"$cur\"; compgen -W "
               "\"$(_bankwise_stock)\" -- \"$cur\")); return ;;\n",
               command->name);
}

static void space_name(const bw_command *command)
{
    printf(" %s", command->name);
}

static void write_bash(void)
{
    puts("# bash completion of bankwise; generated from its option table\n"
         "_bankwise_stock()\n{\n"
         "    local program=$(type -P -- \"${COMP_WORDS[0]}\") folder\n"
         "    for folder in \"$BANKWISE_PATTERNS\" \"${program%/*}/../share/bankwise/patterns\" "
         "\"${program%/*}/../../patterns\"; do\n"
         "        [ -d \"$folder\" ] && (cd \"$folder\" && " LIST_STOCK ") && return\n"
         "    done\n}\n"
         "_bankwise()\n{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "    local command=${COMP_WORDS[1]}\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W \"");
    each_command(space_name);
    puts(" --help --version\" -- \"$cur\"))\n        return\n    fi\n"
         "    if [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "    if [ \"$cur\" = = ]; then cur=; fi\n"
         "    case $command:$prev in");
    each_command(bash_command);
    puts("    *)\n        case $cur in\n        -*) case $command in");
    each_command(bash_options);
    puts("            esac ;;\n        *) case $command in");
    each_command(bash_files);
    puts("            esac\n"
         "           COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n        esac ;;\n    esac\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
         "complete -o filenames -F _bankwise bankwise");
}

/* ---- zsh ---- */

/* In _arguments, a description stands in brackets and a colon ends a part; all is in single quotes.
 */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr("[]:\\", *text))
            putchar('\\');
        putchar(*text);
    }
}

static void zsh_argument(const bw_option *option)
{
    if (option->type == BW_TYPE_FLAG)
        return;
    printf(":%s:", option->argument);
    if (option->type == BW_TYPE_FILE) {
        printf("_files");
        return;
    }
    putchar('(');
    if (!put_words(option))
        putchar(' ');
    putchar(')');
}

static void zsh_option(const bw_command *command, const bw_option *option)
{
    (void)command;
    const char *repeat = option->type == BW_TYPE_DEFINE || option->type == BW_TYPE_WARNING ||
                                 option->type == BW_TYPE_BINDING
                             ? "*"
                             : "";
    const char *joined = option->type == BW_TYPE_FLAG ? "" : "=";
    printf("            '%s--%s%s[", repeat, option->name, joined);
    zsh_text(option->help);
    putchar(']');
    zsh_argument(option);
    puts("' \\");
    if (!option->letter)
        return;
    printf("            '%s-%c%s[", repeat, option->letter, *joined ? "+" : "");
    zsh_text(option->help);
    putchar(']');
    zsh_argument(option);
    puts("' \\");
}

static void zsh_command(const bw_command *command)
{
    printf("    %s)\n        _arguments \\\n", command->name);
    each_option(command, zsh_option);
    if (command->id == BW_COMMAND_HELP) {
        printf("            '*:message:(");
        put_messages();
        puts(")' ;;");
    } else {
        printf("            '*:file:%s' ;;\n",
               takes_patterns(command) ? "_bankwise_files" : "_files");
    }
}

static void zsh_name(const bw_command *command)
{
    printf("        '%s:", command->name);
    zsh_text(command->summary);
    puts("'");
}

static void write_zsh(void)
{
    puts("#compdef bankwise\n# generated from the option table of bankwise\n"
         "_bankwise_files()\n{\n"
         "    local folder program=$(whence -p bankwise)\n"
         "    local -a stock\n"
         "    for folder in \"$BANKWISE_PATTERNS\" \"${program:h}/../share/bankwise/patterns\" "
         "\"${program:h}/../../patterns\"; do\n"
         "        [[ -d $folder ]] && stock=(${(f)\"$(cd $folder && " LIST_STOCK ")\"}) && break\n"
         "    done\n"
         "    _alternative 'files:file:_files' 'stock:stock pattern:_multi_parts / stock'\n}\n"
         "_bankwise()\n{\n    local -a commands\n    commands=(");
    each_command(zsh_name);
    puts("    )\n    if (( CURRENT == 2 )); then\n"
         "        _describe 'command' commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in");
    each_command(zsh_command);
    puts("    esac\n}\n_bankwise \"$@\"");
}

/* ---- fish ---- */

/* Inside single quotes, fish knows \' and \\ only. */
static void fish_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void fish_option(const bw_command *command, const bw_option *option)
{
    printf("complete -c bankwise -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->type == BW_TYPE_FILE) {
        printf(" -r");
    } else if (option->type != BW_TYPE_FLAG) {
        printf(" -x -a '");
        put_words(option);
        putchar('\'');
    }
    printf(" -d '");
    fish_text(option->help);
    puts("'");
}

static void fish_command(const bw_command *command)
{
    printf("complete -c bankwise -n __fish_use_subcommand -f -a %s -d '", command->name);
    fish_text(command->summary);
    puts("'");
    each_option(command, fish_option);
    if (takes_patterns(command))
        printf("complete -c bankwise -n '__fish_seen_subcommand_from %s' -a '(__bankwise_stock)' "
               "-d 'stock pattern'\n",
               command->name);
    if (command->id == BW_COMMAND_HELP) {
        printf("complete -c bankwise -n '__fish_seen_subcommand_from %s' -f -a '", command->name);
        put_messages();
        puts("' -d message");
    }
}

static void write_fish(void)
{
    puts("# fish completion of bankwise; generated from its option table\n"
         "function __bankwise_stock\n"
         "    set -l program (command -s bankwise)\n"
         "    for folder in $BANKWISE_PATTERNS (dirname \"$program\")/../share/bankwise/patterns "
         "(dirname \"$program\")/../../patterns\n"
         "        if test -d \"$folder\"\n"
         "            pushd $folder; " LIST_STOCK "; popd\n"
         "            return\n        end\n    end\nend\n"
         "complete -c bankwise -n __fish_use_subcommand -f -l help -d 'show the help'\n"
         "complete -c bankwise -n __fish_use_subcommand -f -l version -d 'show the version'");
    each_command(fish_command);
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "bash") == 0)
        write_bash();
    else if (strcmp(what, "zsh") == 0)
        write_zsh();
    else if (strcmp(what, "fish") == 0)
        write_fish();
    else if (strcmp(what, "table") == 0)
        each_command(table_command);
    else {
        fputs("usage: gen-completion bash|zsh|fish|table\n", stderr);
        return BW_EXIT_USAGE;
    }
    return fflush(stdout) == 0 ? BW_EXIT_DONE : BW_EXIT_INTERNAL;
}
