package dev.errand.model;

import dev.errand.model.ModelException.Code;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The words of the refusals of providers. Each row is one family; its source is what the provider
 * documents, or a report in the tracker of a client. The first row that matches decides.
 */
final class RefusalTable {

  /**
   * @param words in the lines of {@link RefusalBody#words}
   */
  private record RefusalPattern(Code code, Pattern words) {}

  private static final List<RefusalPattern> ROWS =
      List.of(
          // OpenAI and Azure: platform.openai.com/docs/guides/error-codes. Perplexity, DashScope,
          // and most gateways use the same words.
          quota(
              "insufficient_quota|billing_hard_limit|billing_not_active|quota (?:is )?used up"
                  + "|exceeded your current quota|check your plan and billing|account is not active"),
          // Anthropic: docs.anthropic.com/en/api/errors (billing_error); claude-code#4684.
          quota("billing_error|credit balance is too low|specified api usage limits"),
          // Gemini without a time to retry; Bedrock: API_runtime_Converse.
          quota("ServiceQuotaExceeded|prepayment credits are depleted"),
          // DeepSeek (402), Moonshot: kimi-code#1857, Zhipu: GLM-5#148 (1113, 1309), StepFun,
          // MiniMax (1008), SiliconFlow (30001, 30011).
          quota(
              "(?:insufficient|exceeded)_current_quota|\\binsufficient[ _](?:account[ _])?balance"
                  + "|balance is (?:too low|insufficient|not enough)|(?:paid|account) balance is insuff"
                  + "|code: (?:1113|1309)\\b|余额不足|欠费|额度(?:不足|已用)|资源包"),
          // DashScope: help.aliyun.com/zh/model-studio/error-code; Volcengine.
          quota(
              "Arrearage|account is in good standing|free tier of the model has been exhausted"
                  + "|FreeTierOnly|AccountOverdue|PrepaidBillOverdue|PostpaidBillOverdue"),
          // xAI: "used all available credits or reached its monthly spending limit"; OpenRouter:
          // openrouter.ai/docs/api-reference/errors; Together: "credit limit"; Fireworks (412).
          quota(
              "(?:available|included|prepaid|all|your) (?:\\w+ )?credits\\b.{0,40}(?:reached|exceeded|depleted|exhausted|used)"
                  + "|(?:used (?:up )?|exceeded )(?:all |your )(?:\\w+ ){0,2}credits|(?:purchase|requires?|add) (?:more |additional )?credits"
                  + "|(?:out of|not enough|insufficient|no (?:remaining|more)|never purchased) credits?\\b|insufficient_credits?"
                  + "|(?:monthly |your |hard )?(?:spending|spend|credit|budget) (?:limit|cap)\\b|Key limit exceeded"
                  + "|failure to pay|past[- ]due|unpaid invoices?"),
          // LiteLLM: docs.litellm.ai/docs/proxy/users, litellm#22726; one-api and new-api.
          quota(
              "budget_exceeded|BudgetExceeded|ExceededBudget|budget has been exceeded|exceeded budget"
                  + "|crossed budget|insufficient_user_quota|pre_consume_token_quota_failed"),
          // Kimi, Copilot, Cohere's trial keys, Hugging Face, Cloudflare (10,000 neurons a day).
          quota(
              "(?:monthly|weekly|yearly|billing cycle) (?:\\w+ )?(?:quota|allowance|usage limit)"
                  + "|(?:reached|exceeded|over) your (?:\\w+ )?usage limit|usage_limit_(?:reached|exceeded)"
                  + "|API calls / month|daily free allocation|quota_exhausted|payment[_ ]required"),
          // What no provider is known to say: money that is not there.
          quota(
              "(?:insufficient|not enough|negative|too low|out of|exhausted|disabled|overdue|depleted|lack of|zero)\\b[^.\\n]{0,30}\\b(?:balance|funds?|credits?|billing|payments?)\\b"
                  + "|\\b(?:balance|funds?|credits?|billing|payments?)\\b[^.\\n]{0,30}\\b(?:insufficient|not enough|negative|too low|exhausted|disabled|overdue|depleted|zero|failed)\\b"
                  + "|insufficient[ _]quota|quota (?:is |was |has been )?(?:exhausted|depleted)|please recharge|top up your"),
          // Rate limits under other statuses: OpenAI, Groq, Mistral, DashScope, AWS, Azure.
          row(
              Code.MODEL_RATE_LIMITED,
              "rate_limit_(?:error|exceeded|reached)|RateLimitReached|ThrottlingException"
                  + "|RESOURCE_EXHAUSTED|Throttling\\.\\w+|too many requests|too_many_requests"
                  + "|rate limit (?:was |has been )?(?:exceeded|reached|of \\d)|service_tier_capacity_exceeded"),
          // Azure, Groq (498), Anthropic, Hugging Face.
          row(
              Code.MODEL_UNAVAILABLE,
              "overloaded_error|type: (?:overloaded|capacity_exceeded)|code: capacity_exceeded"
                  + "|is (?:currently )?(?:overloaded|loading)\\b"),
          // OpenAI, Azure, OpenRouter, DeepSeek, Cerebras: docs of the code, fast-agent#621.
          tooLong(
              "context_length_exceeded|context(?:[ _]window)?(?:[ _]is)?[ _]full|maximum context length|(?:exceed|too long|too large).{0,40}\\bcontext[ _](?:window|length|size|limit)"
                  + "|context[ _](?:window|length|size|limit)(?: (?:of|for) [^.\\n]{0,60})?(?: (?:is|was|has been))? ?exceed"
                  + "|ContextWindowExceeded|input exceeds the"),
          // OpenAI: one message, or their number; "Invalid 'messages[3].content': string too long".
          tooLong(
              "'(?:messages|input|prompt|contents)(?:\\[\\d+\\])?(?:\\.content(?:\\[\\d+\\](?:\\.text)?)?)?': (?:string|array) too long"),
          // Anthropic: continue#6080, errors (request_too_large); Fireworks.
          tooLong(
              "prompt is too long|request_too_large|request exceeds the maximum size|exceed context limit"),
          // Bedrock: aws-samples/bedrock-chat#95, openclaw#58839.
          tooLong(
              "input is too long|input exceeds the max|too many input tokens|expected maxLength: \\d+, actual: \\d+"),
          // Gemini and Vertex.
          tooLong(
              "input token count.{0,40}exceeds|maximum number of (?:input )?tokens|(?:input )?context is too long"
                  + "|request payload size exceeds"),
          // Mistral; Cohere: "too many tokens: total number of tokens in the prompt cannot exceed".
          tooLong(
              "too large for model with|too many tokens|total (?:number of )?tokens (?:\\w+ ){0,4}?(?:cannot )?exceed"),
          // xAI; Groq: langchain#37533; GitHub Copilot and GitHub Models (tokens_limit_reached).
          tooLong(
              "maximum prompt length|reduce the length of|prompt token count|tokens_limit_reached|max_prompt_tokens_exceeded"),
          // Text Generation Inference: router/src/validation.rs.
          tooLong("`?inputs`? tokens \\+|`inputs` must have less than|inputs must have less than"),
          // vLLM: vllm#12600, pi#5929; SGLang: billion-context#493; Together; TensorRT-LLM and NIM.
          tooLong(
              "longer than the (?:maximum|model)|greater than the (?:maximum|model'?s?|context)|max_model_len|max_seq_len"
                  + "|exceeds? (?:the )?(?:model'?s? )?max(?:imum)?[ _](?:allowed |number of )?(?:input|sequence|seq|model|prompt|context|total|num)[ _]?(?:length|len|tokens)"),
          // llama.cpp: tools/server (exceed_context_size_error), openclaw#64196; LM Studio; Ollama.
          tooLong(
              "exceed_context_size|available context size|context (?:the )?overflows?|too large to process|n_keep"
                  + "|prompt too long|exceeds? (?:the |max(?:imum)? )?context length|reached context length"),
          // DashScope, Moonshot, Zhipu (1261), MiniMax, Volcengine, SiliconFlow (20015), Qianfan.
          tooLong(
              "range of input length|exceed(?:ed|s)? model (?:token )?limit|input token length|code: 1261\\b|prompt exceeds max"
                  + "|more than max tokens allowed|input length .{0,20}exceeds|(?:prompt|content) length (?:is )?too long"
                  + "|(?:长度|上下文|tokens?|输入|提示词).{0,20}(?:超过|超出|超长|过长)|(?:超过|超出).{0,20}(?:长度|上下文|tokens?)|prompt ?超长"),
          // A wrong key as 400: Gemini, xAI, and gateways.
          row(
              Code.MODEL_UNAUTHORIZED,
              "API_KEY_INVALID|api key not (?:valid|found)|(?:invalid|incorrect|missing|expired|no|wrong)[ _](?:x-)?api[ _-]?(?:key|token)"
                  + "|api[ _-]?key\\b[^.\\n]{0,40}\\b(?:invalid|expired|missing|incorrect|required|revoked|not)\\b|authentication_error|unauthenticated"
                  + "|(?:invalid|expired|incorrect|malformed|missing) (?:\\w+ )?(?:access |auth\\w* |bearer |security |jwt )?(?:token|credentials?)\\b(?! (?:count|id|limit|length))"
                  + "|token (?:is |has )?(?:invalid|expired|incorrect)|UnrecognizedClient|ExpiredToken|无效的令牌|身份验证"),
          // DeepSeek ("Model Not Exist"), OpenRouter, Groq, and others with 400.
          row(
              Code.MODEL_NOT_FOUND,
              "model_not_found|ModelNotFound|model_decommissioned|not a valid model|\\b(?:unknown|invalid|no such) model\\b"
                  + "|\\bmodel\\b[^.\\n]{0,80}(?:does not exist|not exist|not found)"));

  private RefusalTable() {}

  private static RefusalPattern quota(String words) {
    return row(Code.MODEL_QUOTA_EXCEEDED, words);
  }

  private static RefusalPattern tooLong(String words) {
    return row(Code.MODEL_CONTEXT_EXCEEDED, words);
  }

  private static RefusalPattern row(Code code, String words) {
    return new RefusalPattern(code, Pattern.compile(words, Pattern.CASE_INSENSITIVE));
  }

  /** Returns what the first row that matches says; empty if no provider is known to say this. */
  static Optional<Code> find(String words) {
    return ROWS.stream()
        .filter(row -> row.words().matcher(words).find())
        .map(RefusalPattern::code)
        .findFirst();
  }
}
